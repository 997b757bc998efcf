import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@orch/client/objects.js";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { execute } from "./clients/program.js";
import { root } from "./command-line-program.js";
import { type Answer, type Credentials, connect, type Http, valueAt } from "./harness/http.js";
import { kubectlMissing, runKubectl } from "./harness/kubectl.js";
import { assertFailure } from "./harness/status.js";
import { newFolder, removeFolder, type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";

/** What objects were, who changed them, and what brings it back: over HTTP, by orch and by kubectl. */

const maps = (namespace = "default"): string => `/api/v1/namespaces/${namespace}/configmaps`;

const map = (name: string, value: string, more: object = {}) => ({
  ...{ kind: "ConfigMap", apiVersion: "v1", metadata: { name, ...more } },
  data: { value },
});

function rows(answer: Answer): readonly Readonly<Record<string, unknown>>[] {
  assert.equal(answer.status, 200, answer.text);
  const items = answer.at("items");
  assert.ok(Array.isArray(items));
  return items.filter(isRecord);
}

const revisionOf = (answer: Answer): string => {
  assert.ok(answer.status < 300, answer.text);
  return String(answer.at("metadata.resourceVersion"));
};

/** Writes three states of an object; gives their revisions. */
async function threeStates(http: Http, name: string, namespace = "default") {
  const first = revisionOf(await http.post(maps(namespace), map(name, "one")));
  const path = `${maps(namespace)}/${name}`;
  const second = revisionOf(await http.patch(path, "merge", { data: { value: "two" } }));
  const third = revisionOf(await http.patch(path, "merge", { data: { more: "three" } }));
  return { path, first, second, third };
}

const stores = [
  { name: "the embedded store", etcd: false, skip: undefined },
  { name: "etcd", etcd: true, skip: await etcdMissing() },
];

for (const { name: store, etcd, skip } of stores) {
  describe(`the history of objects on ${store}`, { skip: skip ?? false }, () => {
    let target: StandaloneTarget;
    let http: Http;
    before(async () => {
      const args = ["--list-extensions=on", ...(etcd ? ["--object-history=on"] : [])];
      target = await startStandalone({ etcd, args });
      http = connect(target);
    });
    after(async () => {
      http.close();
      await target.stop();
    });

    test("tells each state, who made it and what it changed; any two are compared", async () => {
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

    test("fields and alternatives choose of what was, and an order is refused", async () => {
      await http.post("/api/v1/namespaces", { metadata: { name: "chosen" } });
      for (const name of ["a", "b", "c"]) {
        await http.post(maps("chosen"), { ...map(name, name, { labels: { is: name } }), binaryData: { x: "eA==" } });
      }
      const then = revisionOf(await http.get(maps("chosen")));
      await http.delete(`${maps("chosen")}/a`);
      await http.patch(`${maps("chosen")}/b`, "merge", { data: { value: "later" } });
      const asked = { at: then, fields: "data.value,metadata.labels" };
      const one = (await http.get(`${maps("chosen")}/b`, asked)).object();
      assert.deepEqual(Object.keys(one).sort(), ["apiVersion", "data", "kind", "metadata"]);
      assert.deepEqual(one["data"], { value: "b" });
      assert.deepEqual(Object.keys(one.metadata).sort(), ["labels", "name", "namespace", "resourceVersion", "uid"]);
      const names: unknown[] = [];
      let next = {};
      for (let page = 0; page < 2; page++) {
        const list = await http.get(maps("chosen"), {
          ...asked,
          labelSelector: "is=a || is in (c)",
          limit: 1,
          ...next,
        });
        names.push(...list.items().map(({ metadata: { name }, data, ...others }) => [name, data, Object.keys(others)]));
        next = { continue: String(list.at("metadata.continue") ?? "") };
      }
      assert.deepEqual(names, [
        ["a", { value: "a" }, []],
        ["c", { value: "c" }, []],
      ]);
      const yaml = await http.call({ path: maps("chosen"), query: asked, headers: { accept: "application/yaml" } });
      assert.match(yaml.text, /value: a/);
      assert.doesNotMatch(yaml.text, /binaryData/);
      for (const query of [{ sort: "metadata.name" }, { fields: "a..b" }, { labelSelector: "a||" }]) {
        assertFailure(await http.get(maps("chosen"), { at: then, ...query }), { code: 400, reason: "BadRequest" });
      }
      const protobuf = { accept: "application/vnd.kubernetes.protobuf" };
      const refused = await http.call({ path: maps("chosen"), query: asked, headers: protobuf });
      assert.equal(refused.status, 400);
    });

    test("pages of a collection as it was join up, and a page's token is good for no other collection", async () => {
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

    test("a change and its record are there together or not at all, whenever the process is killed", async () => {
      for (let kill = 0; kill < (etcd ? 1 : 2); kill++) {
        const stop = new AbortController();
        const load = (async () => {
          for (let i = 0; !stop.signal.aborted; i++) {
            const name = `killed-${kill}-${i % 5}`;
            const path = `${maps()}/${name}`;
            await (i < 5
              ? http.post(maps(), map(name, `${i}`))
              : http.patch(path, "merge", { data: { value: `${i}` } }));
          }
        })().catch(() => {});
        await until("there is something", async () => {
          const last = await http.get(`${maps()}/killed-${kill}-4`);
          return last.status === 200 && last.at("data.value") !== "4" ? true : undefined;
        });
        await target.process.kill();
        stop.abort();
        await load;
        await target.process.restart();
        http.close();
        http = connect(target);
        for (const object of (await http.get(maps())).items()) {
          const { name = "", resourceVersion } = object.metadata;
          if (!name.startsWith(`killed-${kill}`)) continue;
          const history = rows(await http.get(`${maps()}/${name}/history`));
          assert.equal(history[0]?.["revision"], resourceVersion);
          assert.ok(history.every(({ user, restorable }) => user === "admin" && restorable === true));
          assert.equal(history.at(-1)?.["change"], "created");
        }
      }
    });
  });
}

describe("who may read the past, and ask for it in other words", () => {
  let target: StandaloneTarget;
  let http: Http;
  let folder: string;
  before(async () => {
    folder = await newFolder();
    target = await startStandalone();
    http = connect(target);
  });
  after(async () => {
    http.close();
    await target.stop();
    await removeFolder(folder);
  });

  const reader: Credentials = { type: "user", name: "reader" };
  const grant = async (name: string, rules: readonly object[]): Promise<void> => {
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    await http.post(`${rbac}/roles`, { metadata: { name }, rules });
    const role = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name };
    const subjects = [{ kind: "User", name: "reader", apiGroup: "rbac.authorization.k8s.io" }];
    await http.post(`${rbac}/rolebindings`, { metadata: { name }, roleRef: role, subjects });
  };

  test("the right to objects is none to their past, and each method needs the right to read", async () => {
    const secrets = "/api/v1/namespaces/default/secrets";
    const made = revisionOf(await http.post(secrets, { metadata: { name: "s" }, stringData: { p: "1" } }));
    await grant("present", [{ apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "delete", "create"] }]);
    const as = (path: string, method = "GET"): Promise<number> =>
      http.call({ path, method, as: reader, ...(method === "POST" ? { body: {} } : {}) }).then(({ status }) => status);
    await until("the role is known", async () => ((await as(`${secrets}/s`)) === 200 ? true : undefined));
    const past = [`${secrets}/s/history`, `${secrets}/s/history/${made}`, `${secrets}/s?at=${made}`];
    for (const path of [...past, `${secrets}?at=${made}`, `${secrets}/-/deleted`])
      assert.equal(await as(path), 403, path);
    assert.equal(await as(`${secrets}/s/rollback`, "POST"), 403);
    assert.equal(await as(`${secrets}/s/undelete`, "POST"), 403);
    assert.equal(await as(`${secrets}/deleted`), 404);
    await grant("past", [{ apiGroups: [""], resources: ["secrets/history"], verbs: ["get", "list", "delete"] }]);
    await until("the role is known", async () => ((await as(past[0] ?? "")) === 200 ? true : undefined));
    for (const path of [...past, `${secrets}?at=${made}`]) assert.equal(await as(path), 200, path);
    assert.equal(await as(`${secrets}/s/history`, "DELETE"), 405);
    assert.equal(await as(`/api/v1/secrets?at=${made}`), 403);
    assert.equal(await as(`/api/v1/namespaces/kube-system/secrets?at=${made}`), 403);
  });

  test("discovery tells of it, of what is stored alone, and namespaces have one too", async () => {
    const list: unknown = (await http.get("/api/v1")).at("resources");
    assert.ok(Array.isArray(list));
    const names = list.filter(isRecord).map(({ name }) => String(name));
    for (const name of ["configmaps/history", "namespaces/history", "secrets/undelete"])
      assert.ok(names.includes(name), name);
    assert.ok(!names.some((name) => name.startsWith("componentstatuses/")));
    assert.equal(rows(await http.get("/api/v1/namespaces/default/history"))[0]?.["change"], "created");
  });

  test("unknown words in a question are told, not passed over", async () => {
    const { path, first } = await threeStates(http, "words");
    const wrong = [`${path}/history?foo=1`, `${path}/history?diff=x`, `${path}/history/x`, `${path}?at=yesterday`];
    for (const one of [...wrong, `${path}/history/${first}?at=1`, `${maps()}/-/deleted?continue=%20`])
      assert.equal((await http.get(one)).status, 400, one);
    assert.equal((await http.post(`${path}/rollback`, { to: first })).status, 400);
    assert.equal((await http.get(`${path}/history/99999`)).status, 404);
  });

  const orch = (...args: readonly string[]) =>
    execute([process.execPath, join(root, "services/cli/dist/main.js"), ...args], {
      env: { ORCHCONFIG: target.clientConfig },
      cwd: folder,
    });

  test("orch shows a history, a difference, and restores", async () => {
    const { path, first, second } = await threeStates(http, "typed");
    const history = await orch("history", "cm/typed");
    assert.match(history.output, /^REVISION +AGE +CHANGE +BY +MANAGER +FIELDS\n/);
    assert.match(history.output, new RegExp(`^${first} .*created +admin`, "m"));
    const diff = await orch("diff", "configmap/typed", "--from", first, "--to", second);
    assert.match(diff.output, /^- {2}value: one\n\+ {2}value: two$/m);
    const back = await orch("rollback", "configmaps/typed", "--to", first);
    assert.deepEqual([back.code, back.errors], [0, ""]);
    assert.deepEqual((await http.get(path)).at("data"), { value: "one" });
    await http.delete(path);
    assert.match((await orch("deleted", "cm")).output, /configmap\/typed/);
    assert.equal((await orch("undelete", "cm/typed")).code, 0);
    assert.deepEqual((await http.get(path)).at("data"), { value: "one" });
    const refused = await orch("history", "cm/never");
    assert.deepEqual([refused.code, refused.errors], [1, 'orch history: configmaps "never" not found\n']);
    assert.equal((await orch("history", "nothing/x")).code, 2);
    assert.equal((await orch("rollback", "cm/typed")).code, 2);
  });

  test("orch rolls a namespace back to a time, after it has shown what that means", async () => {
    await http.post("/api/v1/namespaces", { metadata: { name: "shop" } });
    for (const name of ["kept", "changed", "removed"]) await http.post(maps("shop"), map(name, "before"));
    const before = (await http.get(`${maps("shop")}/removed/history`)).at("items.0.time");
    const time = new Date(Date.parse(String(before)) + 1).toISOString();
    await until("that moment is over", async () => (Date.now() > Date.parse(time) ? true : undefined));
    await http.patch(`${maps("shop")}/changed`, "merge", { data: { value: "after" } });
    await http.delete(`${maps("shop")}/removed`);
    await http.post(maps("shop"), map("added", "after"));
    const asked = await orch("rollback", "--namespace=shop", `--to-time=${time}`, "--kinds=configmaps");
    assert.deepEqual([asked.code, asked.errors], [2, "orch rollback: --yes is needed: there is nobody to ask\n"]);
    assert.match(asked.output, /1 brought back, 1 changed back, 1 deleted/);
    const done = await orch("rollback", "-n", "shop", `--to-time=${time}`, "--kinds=cm", "--yes");
    assert.match(done.output, /3 of 3 done\n$/, done.errors);
    const values = (await http.get(maps("shop")))
      .items()
      .flatMap(({ metadata: { name }, data }) => (name === "kube-root-ca.crt" ? [] : [[name, valueAt(data, "value")]]));
    assert.deepEqual(
      values,
      ["changed", "kept", "removed"].map((name) => [name, "before"]),
    );
    const again = await orch("rollback", "-n", "shop", `--to-time=${time}`, "--kinds=cm", "--yes");
    assert.match(again.output, /^shop is what it was/);
    assert.equal((await orch("rollback", "-n", "shop", "--to-time=20d", "--yes")).code, 2);
  });

  test("kubectl reads it raw and as a table, and its plugin does what orch does", async (t) => {
    const missing = await kubectlMissing();
    if (missing !== undefined) return t.skip(missing);
    const { first } = await threeStates(http, "by-kubectl");
    const kubectl = runKubectl({ target, folder, namespace: "default" });
    assert.match(await kubectl(["get", "--raw", `${maps()}/by-kubectl/history`]), /"kind":"ObjectHistory"/);
    const table = await kubectl(["get", "configmap", "by-kubectl", "--subresource=history"]);
    assert.match(table, /^NAME +REVISION +CHANGE +TIME +USER/);
    assert.match(table, new RegExp(`by-kubectl +${first} +created`));
    const bin = join(folder, "bin");
    await mkdir(bin);
    const plugin = join(bin, "kubectl-orch");
    await writeFile(
      plugin,
      `#!/bin/sh\nexec "${process.execPath}" "${join(root, "services/cli/dist/history/plugin/main.js")}" "$@"\n`,
    );
    await chmod(plugin, 0o755);
    const env = { KUBECONFIG: target.clientConfig, HOME: folder, PATH: `${bin}:${process.env["PATH"]}` };
    const { code, output, errors } = await execute(["kubectl", "orch", "history", "configmap/by-kubectl"], { env });
    assert.equal(code, 0, errors);
    assert.match(output, /created/);
  });
});
