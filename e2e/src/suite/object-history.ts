import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecord } from "@orch/client/objects.js";
import { type Http, valueAt } from "../harness/http.js";
import { map, maps, revisionOf, rows, threeStates } from "../harness/past.js";
import { until } from "../harness/until.js";

/** What objects were, who changed them, and what brings it back, wherever their records are kept. */
export function objectHistory(on: () => Http): void {
  test("tells each state, who made it and what it changed; any two are compared", async () => {
    const http = on();
    const { path, first, second, third } = await threeStates(http, "told");
    const history = rows(await http.get(`${path}/history`));
    assert.deepEqual(
      history.map(({ revision, change, fields, verb }) => [revision, change, verb, fields]),
      [
        [third, "changed", "patch", [".data.more"]],
        [second, "changed", "patch", [".data.value"]],
        [first, "created", "create", undefined],
      ],
    );
    assert.ok(history.every(({ restorable, user }) => restorable === true && user === "admin"));
    assert.equal((await http.get(`${path}/history/${first}`)).at("data.value"), "one");
    const changed = [{ path: ".data.value", operation: "changed", before: "one", after: "two" }];
    assert.deepEqual((await http.get(`${path}/history/${second}`, { diff: first })).at("changes"), changed);
    const toNow = (await http.get(`${path}/history`, { diff: second })).at("changes");
    assert.deepEqual(toNow, [{ path: ".data.more", operation: "added", after: "three" }]);
  });

  test("an object and a collection are read as they were, and what is not kept is not made up", async () => {
    const http = on();
    const { path, first, second, third } = await threeStates(http, "past");
    await http.delete(path);
    const other = revisionOf(await http.post(maps(), map("later", "x")));
    assert.equal((await http.get(path, { at: second })).at("data.value"), "two");
    assert.equal((await http.get(path, { at: other })).status, 404);
    const then = (await http.get(maps(), { at: third, fieldSelector: "metadata.name=past" })).items();
    assert.deepEqual(
      then.map(({ data }) => data),
      [{ value: "two", more: "three" }],
    );
    const names = (await http.get(maps(), { at: first })).items().map(({ metadata }) => metadata.name);
    assert.ok(names.includes("past") && !names.includes("later"), names.join());
    assert.equal((await http.get(maps(), { at: "9999999999" })).status, 400);
    assert.equal((await http.get(maps(), { at: "2999-01-01T00:00:00Z" })).status, 400);
    assert.equal((await http.get(maps(), { at: first, watch: true })).status, 400);
    assert.equal((await http.get(maps(), { at: first, resourceVersion: "0" })).status, 400);
  });

  test("pages of a collection as it was join up, and a page's token is good for no other collection", async () => {
    const http = on();
    await http.post("/api/v1/namespaces", { metadata: { name: "pages" } });
    for (const name of ["a", "b", "c", "d", "e"]) await http.post(maps("pages"), map(name, name));
    const now = revisionOf(await http.get(maps("pages")));
    for (const name of ["b", "d"]) await http.delete(`${maps("pages")}/${name}`);
    const names: unknown[] = [];
    let token = "";
    do {
      const page = await http.get(maps("pages"), { at: now, limit: 2, ...(token === "" ? {} : { continue: token }) });
      names.push(...page.items().map(({ metadata }) => metadata.name));
      token = String(page.at("metadata.continue") ?? "");
      if (token !== "") assert.equal((await http.get(maps(), { at: now, continue: token })).status, 400);
    } while (token !== "");
    assert.deepEqual(
      names.filter((name) => name !== "kube-root-ca.crt"),
      ["a", "b", "c", "d", "e"],
    );
  });

  test("a rollback is an update, and refused as one", async () => {
    const http = on();
    const { path, first, third } = await threeStates(http, "back");
    const dry = await http.post(`${path}/rollback`, { revision: first }, { dryRun: "All" });
    assert.equal(dry.at("data.value"), "one", dry.text);
    assert.equal(revisionOf(await http.get(path)), third);
    const stale = await http.post(`${path}/rollback`, { revision: first, resourceVersion: first });
    assert.equal(stale.status, 409, stale.text);
    const back = await http.post(`${path}/rollback`, { revision: Number(first) });
    assert.deepEqual([back.status, back.at("data")], [200, { value: "one" }], back.text);
    const locked = map("locked", "one");
    const created = revisionOf(await http.post(maps(), locked));
    await http.patch(`${maps()}/locked`, "merge", { data: { value: "two" }, immutable: true });
    const refused = await http.post(`${maps()}/locked/rollback`, { revision: created });
    assert.equal(refused.status, 422, refused.text);
  });

  test("what was deleted is listed and comes back, with its finalizers and without owners that are gone", async () => {
    const http = on();
    const owner = await http.post(maps(), map("owner", "o"));
    const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.at("metadata.uid") };
    const more = { finalizers: ["example.com/wait"], ownerReferences: [reference] };
    const made = await http.post(maps(), map("gone", "last", more));
    const path = `${maps()}/gone`;
    await http.delete(path);
    await http.patch(path, "merge", { metadata: { finalizers: null } });
    await http.delete(`${maps()}/owner`);
    await until("it is gone", async () => ((await http.get(path)).status === 404 ? true : undefined));
    const deleted = rows(await http.get(`${maps()}/-/deleted`)).find(
      ({ metadata }) => isRecord(metadata) && metadata["name"] === "gone",
    );
    assert.equal(valueAt(deleted, "metadata.uid"), made.at("metadata.uid"));
    assert.equal((await http.get(`${maps()}/deleted`)).at("kind"), "DeletedObjectList");
    await http.post(maps(), { metadata: { name: "deleted" } });
    await http.delete(`${maps()}/deleted`);
    assert.equal((await http.get(`${maps()}/deleted`)).status, 404, "one that had the name is gone");
    const back = await http.post(`${path}/undelete`, {});
    assert.equal(back.status, 201, back.text);
    assert.deepEqual(back.at("metadata.finalizers"), ["example.com/wait"]);
    assert.equal(back.at("metadata.deletionTimestamp"), undefined);
    assert.equal(back.at("metadata.ownerReferences"), undefined);
    assert.notEqual(back.at("metadata.uid"), made.at("metadata.uid"));
    const annotations = back.at("metadata.annotations");
    assert.deepEqual(annotations, { "history.orch/undeleted-uid": made.at("metadata.uid") });
    assert.equal((await http.post(`${path}/undelete`, {})).status, 409);
    await http.patch(path, "merge", { metadata: { finalizers: null } });
  });
}
