import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../harness/http.js";
import { freshMaps, freshNamespace, namesOf, versionOf } from "../harness/manifests.js";
import { assertFailure } from "../harness/status.js";
import { until } from "../harness/until.js";
import type { On } from "./scene.js";

/** Deletion of objects, collections and namespaces (rules: Object deletion). */
export function deletionSuite(on: On): void {
  finalizers(on);
  policies(on);
  grace(on);
  preconditions(on);
  collections(on);
  pages(on);
  namespaces(on);
}

function finalizers(on: On): void {
  test("an object with finalizers stays until the last of them is removed", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const finalizers = ["example.com/one", "example.com/two"];
    const created = await http.post(maps.path(), { metadata: { name: "held", finalizers } });
    assert.equal(created.status, 201, created.text);
    const watch = await http.watch(maps.path("held"), { resourceVersion: versionOf(created.object()) });
    const deleted = await http.delete(maps.path("held"));
    assert.equal(deleted.status, 200, deleted.text);
    const finalizing = deleted.object();
    assert.ok(typeof finalizing.metadata["deletionTimestamp"] === "string");
    assert.deepEqual(finalizing.metadata["finalizers"], finalizers);

    const again = await http.delete(maps.path("held"));
    assert.equal(again.object().metadata["deletionTimestamp"], finalizing.metadata["deletionTimestamp"]);
    const added = await http.put(maps.path("held"), {
      ...again.object(),
      metadata: { ...again.object().metadata, finalizers: [...finalizers, "example.com/three"] },
    });
    assertFailure(added, { code: 422, reason: "Invalid", message: /no new finalizers can be added/ });

    const one = await http.put(maps.path("held"), {
      ...again.object(),
      metadata: { ...again.object().metadata, finalizers: ["example.com/two"] },
    });
    assert.equal(one.status, 200, one.text);
    assert.equal((await http.get(maps.path("held"))).status, 200);
    const none = await http.put(maps.path("held"), {
      ...one.object(),
      metadata: { ...one.object().metadata, finalizers: [] },
    });
    assert.equal(none.status, 200, none.text);
    assertFailure(await http.get(maps.path("held")), { code: 404, reason: "NotFound" });
    assert.deepEqual(
      (await watch.take(3)).map((e) => e.type),
      ["MODIFIED", "MODIFIED", "DELETED"],
    );
    watch.close();
    await maps.create("held");
  });

  test("a propagation policy is kept as the finalizer that it stands for", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    for (const [propagationPolicy, finalizer] of [
      ["Foreground", "foregroundDeletion"],
      ["Orphan", "orphan"],
    ]) {
      await maps.create(`p-${finalizer?.toLowerCase()}`);
      const answer = await http.delete(maps.path(`p-${finalizer?.toLowerCase()}`), {
        propagationPolicy: propagationPolicy ?? "",
      });
      assert.deepEqual(answer.at("metadata.finalizers"), [finalizer], answer.text);
    }
    await maps.create("now");
    assert.equal((await http.delete(maps.path("now"), { propagationPolicy: "Background" })).at("status"), "Success");
    await maps.create("wrong");
    assertFailure(await http.delete(maps.path("wrong"), { propagationPolicy: "Never" }), {
      code: 422,
      reason: "Invalid",
    });
  });
}

function policies(on: On): void {
  test("the old form of a policy, a kind's own default and a policy chosen before are kept as finalizers too", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const maps = `/api/v1/namespaces/${namespace}/configmaps`;
    const finalizersOf = (answer: Answer): unknown => answer.at("metadata.finalizers");
    // Dry runs: the garbage collector acts on what is really deleted.
    const dry = { dryRun: "All" };
    await http.post(maps, { metadata: { name: "m" } });
    assert.deepEqual(finalizersOf(await http.delete(`${maps}/m`, dry, { orphanDependents: true })), ["orphan"]);
    const both = { orphanDependents: true, propagationPolicy: "Orphan" };
    assertFailure(await http.delete(`${maps}/m`, dry, both), { code: 422, reason: "Invalid" });
    await http.post(maps, { metadata: { name: "chosen", finalizers: ["foregroundDeletion"] } });
    assert.deepEqual(finalizersOf(await http.delete(`${maps}/chosen`, dry)), ["foregroundDeletion"]);
    const orphaned = await http.delete(`${maps}/chosen`, { ...dry, propagationPolicy: "Orphan" });
    assert.deepEqual(finalizersOf(orphaned), ["orphan"]);
    assert.equal((await http.delete(`${maps}/chosen`, { orphanDependents: false })).at("status"), "Success");

    const labels = { app: "c" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    const controllers = `/api/v1/namespaces/${namespace}/replicationcontrollers`;
    await http.post(controllers, { metadata: { name: "c" }, spec: { replicas: 0, selector: labels, template } });
    assert.deepEqual(finalizersOf(await http.delete(`${controllers}/c`, { dryRun: "All" })), ["orphan"]);
    await http.delete(`${controllers}/c`, { propagationPolicy: "Background" });

    const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
    const job = { template: { spec: { ...template.spec, restartPolicy: "Never" } } };
    await http.post(jobs, { metadata: { name: "j" }, spec: job });
    const silent = await http.delete(`${jobs}/j`, { dryRun: "All", propagationPolicy: "Background" });
    assert.equal(silent.headers["warning"], undefined);
    const warned = await http.delete(`${jobs}/j`, { dryRun: "All" });
    assert.match(String(warned.headers["warning"]), /child pods are preserved by default/);
    assert.deepEqual(finalizersOf(warned), ["orphan"]);
  });

  test("options of a deletion are read in every encoding", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const yaml = "kind: DeleteOptions\napiVersion: v1\npropagationPolicy: Foreground\n";
    await maps.create("m");
    const send = (contentType: string, body: string) =>
      http.call({
        method: "DELETE",
        path: maps.path("m"),
        query: { dryRun: "All" },
        headers: { "content-type": contentType },
        body,
      });
    const held = await send("application/yaml", yaml);
    assert.deepEqual(held.at("metadata.finalizers"), ["foregroundDeletion"], held.text);
    assertFailure(await send("application/yaml", yaml.replace("DeleteOptions", "Pod")), {
      code: 400,
      reason: "BadRequest",
    });
    assertFailure(await send("application/yaml", "a: ["), { code: 400, reason: "BadRequest" });
    assertFailure(await send("text/plain", "x"), { code: 415, reason: "UnsupportedMediaType" });
    assertFailure(await send("application/json", '{"gracePeriodSeconds":"x"}'), { code: 400, reason: "BadRequest" });
    assert.equal((await send("application/json", '{"propagationPolicy":"Background"}')).at("status"), "Success");
  });
}

function grace(on: On): void {
  test("a pod that runs on a node is given its time, and goes at once when told so", async () => {
    const { http } = on();
    const namespace = `/api/v1/namespaces/${await freshNamespace(http)}`;
    const path = `${namespace}/pods`;
    const containers = [{ name: "c", image: "i" }];
    const bound = await http.post(path, { metadata: { name: "bound" }, spec: { containers, nodeName: "n1" } });
    assert.equal(bound.status, 201, bound.text);
    const asked = await http.delete(`${path}/bound`, { gracePeriodSeconds: 20 });
    assert.equal(asked.status, 200, asked.text);
    assert.equal(asked.at("metadata.deletionGracePeriodSeconds"), 20);
    const until20 = Date.parse(String(asked.at("metadata.deletionTimestamp")));
    // More time is not given, less is.
    const more = await http.delete(`${path}/bound`);
    assert.equal(more.at("metadata.deletionGracePeriodSeconds"), 20);
    const less = await http.delete(`${path}/bound`, {}, { gracePeriodSeconds: 5 });
    assert.equal(less.at("metadata.deletionGracePeriodSeconds"), 5);
    assert.ok(Date.parse(String(less.at("metadata.deletionTimestamp"))) < until20);
    assert.equal((await http.get(`${path}/bound`)).status, 200);
    assert.equal((await http.delete(`${path}/bound`, { gracePeriodSeconds: 0 })).status, 200);
    assertFailure(await http.get(`${path}/bound`), { code: 404, reason: "NotFound" });

    const free = await http.post(path, { metadata: { name: "free" }, spec: { containers } });
    assert.equal(free.status, 201, free.text);
    assert.equal((await http.delete(`${path}/free`)).status, 200);
    assertFailure(await http.get(`${path}/free`), { code: 404, reason: "NotFound" });
  });
}

function preconditions(on: On): void {
  test("a delete with preconditions happens only where they hold", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const first = await maps.create("guarded");
    const wrong = { preconditions: { uid: "00000000-0000-4000-8000-000000000000" } };
    assertFailure(await http.delete(maps.path("guarded"), {}, wrong), { code: 409, reason: "Conflict" });
    const second = await maps.change(first, { k: "v" });
    const old = { preconditions: { resourceVersion: versionOf(first) } };
    assertFailure(await http.delete(maps.path("guarded"), {}, old), { code: 409, reason: "Conflict" });
    const right = { preconditions: { uid: second.metadata.uid, resourceVersion: versionOf(second) } };
    assert.equal((await http.delete(maps.path("guarded"), {}, right)).status, 200);
    assertFailure(await http.get(maps.path("guarded")), { code: 404, reason: "NotFound" });
  });
}

function collections(on: On): void {
  test("deletecollection deletes what its selectors choose, in its namespace alone", async () => {
    const { http } = on();
    const [maps, other] = [await freshMaps(http), await freshMaps(http)];
    for (const name of ["a", "b", "c"]) {
      await maps.create(name, { labels: { go: name === "c" ? "no" : "yes" } });
      await other.create(name, { labels: { go: "yes" } });
    }
    const selected = await http.delete(maps.path(), { labelSelector: "go=yes" });
    assert.equal(selected.status, 200, selected.text);
    assert.deepEqual(namesOf((await http.get(maps.path())).items()), ["c"]);
    assert.equal((await http.get(other.path())).items().length, 3);
    assert.equal((await http.delete(other.path(), { fieldSelector: "metadata.name=b" })).status, 200);
    assert.deepEqual(namesOf((await http.get(other.path())).items()), ["a", "c"]);
    assert.equal((await http.delete(maps.path())).status, 200);
    assert.equal((await http.get(maps.path())).items().length, 0);
  });

  test("deletecollection begins the deletion of what finalizers hold", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    await maps.create("free");
    await http.post(maps.path(), { metadata: { name: "held", finalizers: ["example.com/one"] } });
    assert.equal((await http.delete(maps.path())).status, 200);
    const [held, ...more] = (await http.get(maps.path())).items();
    assert.equal(more.length, 0);
    assert.equal(held?.metadata.name, "held");
    assert.ok(typeof held?.metadata["deletionTimestamp"] === "string");
  });

  test("deletecollection of a large collection leaves nothing and tells every deletion to a watch", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    await Promise.all(Array.from({ length: 600 }, (_, i) => maps.create(`m${i}`)));
    const from = String((await http.get(maps.path())).at("metadata.resourceVersion"));
    const watch = await http.watch(maps.path(), { resourceVersion: from });
    const dry = await http.delete(maps.path(), { dryRun: "All" });
    assert.equal(dry.status, 200, dry.text);
    assert.equal((await http.get(maps.path())).items().length, 600);
    assert.equal((await http.delete(maps.path())).status, 200);
    const events = await watch.take(600);
    assert.ok(events.every((e) => e.type === "DELETED"));
    assert.equal(new Set(namesOf(events.map((e) => e.object))).size, 600);
    assert.equal((await http.get(maps.path())).items().length, 0);
    watch.close();
  });
}

function pages(on: On): void {
  test("deletecollection deletes a page where a limit is given, and the next one by its token", async () => {
    const { http } = on();
    const maps = await freshMaps(http);
    const names = Array.from({ length: 25 }, (_, i) => `m${String(i).padStart(2, "0")}`);
    await Promise.all(names.map((name) => maps.create(name)));
    const dry = await http.delete(maps.path(), { limit: 10, dryRun: "All" });
    assert.deepEqual(namesOf(dry.items()), names.slice(0, 10));
    const first = await http.delete(maps.path(), { limit: 10 });
    assert.deepEqual(namesOf(first.items()), names.slice(0, 10));
    assert.equal(first.at("metadata.remainingItemCount"), 15);
    assert.deepEqual(namesOf((await http.get(maps.path())).items()), names.slice(10));
    // Of the first page's moment: a newcomer before its end is not in it.
    await maps.create("m00");
    await maps.create("m99");
    const second = await http.delete(maps.path(), { limit: 10, continue: String(first.at("metadata.continue")) });
    assert.deepEqual(namesOf(second.items()), names.slice(10, 20));
    const last = await http.delete(maps.path(), { limit: 10, continue: String(second.at("metadata.continue")) });
    assert.deepEqual(namesOf(last.items()), names.slice(20));
    assert.equal(last.at("metadata.continue"), undefined);
    assert.deepEqual(namesOf((await http.get(maps.path())).items()), ["m00", "m99"]);
    assertFailure(await http.delete(maps.path(), { continue: "forged" }), { code: 400, reason: "BadRequest" });
  });
}

function namespaces(on: On): void {
  test("nothing is created in a namespace that does not exist", async () => {
    const { http, target } = on();
    const missing = { code: 404, reason: "NotFound", message: 'namespaces "nowhere" not found' };
    assertFailure(await http.post("/api/v1/namespaces/nowhere/configmaps", { metadata: { name: "a" } }), missing);
    const slices = `/apis/${target.naming.group("discovery")}/v1/namespaces/nowhere/endpointslices`;
    assertFailure(await http.post(slices, { metadata: { name: "a" }, addressType: "IPv4", endpoints: [] }), missing);
    assert.equal((await http.get("/api/v1/namespaces/nowhere/configmaps")).items().length, 0);
  });

  test("nothing is created in a namespace that is being deleted, but what is there can be changed", async () => {
    const { http } = on();
    const namespace = await freshNamespace(http);
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const held = { name: "before", finalizers: ["example.com/hold"] };
    await http.post(path, { metadata: held });
    const deleted = await http.delete(`/api/v1/namespaces/${namespace}`);
    assert.equal(deleted.at("status.phase"), "Terminating", deleted.text);
    assert.equal((await http.get(`/api/v1/namespaces/${namespace}`)).at("status.phase"), "Terminating");
    let tries = 0;
    const refused = await until("the deletion is known to whoever creates", async () => {
      const answer = await http.post(path, { metadata: { name: `late-${tries++}` } });
      return answer.status === 201 ? undefined : answer;
    });
    assertFailure(refused, { code: 403, reason: "Forbidden", message: /because it is being terminated$/ });
    assert.equal(refused.at("details.causes.0.reason"), "NamespaceTerminating");
    const changed = await http.put(`${path}/before`, { metadata: held, data: { k: "v" } });
    assert.equal(changed.status, 200, changed.text);
    assert.equal((await http.put(`${path}/before`, { metadata: { name: "before" } })).status, 200);
  });

  test("the system's namespaces are there from the start and stay", async () => {
    const { http, target } = on();
    const there = namesOf((await http.get("/api/v1/namespaces")).items());
    for (const name of target.naming.systemNamespaces) assert.ok(there.includes(name), name);
    assertFailure(await http.delete("/api/v1/namespaces/default"), {
      code: 403,
      reason: "Forbidden",
      message: /this namespace may not be deleted/,
    });
  });
}
