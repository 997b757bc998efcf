import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@orch/client/objects.js";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { eventsOf, writePolicy } from "./audit-bed.js";
import { execute } from "./clients/program.js";
import { root } from "./command-line-program.js";
import { type Credentials, connect, type Http, valueAt } from "./harness/http.js";
import { kubectlMissing, runKubectl } from "./harness/kubectl.js";
import { map, maps, revisionOf, rows, threeStates } from "./harness/past.js";
import { assertFailure } from "./harness/status.js";
import { newFolder, removeFolder, type StandaloneTarget, startStandalone } from "./harness/target.js";
import { until } from "./harness/until.js";
import { objectHistory } from "./suite/object-history.js";

/** What objects were, who changed them, and what brings it back: over HTTP, by orch and by kubectl. */

const stores = [
  { name: "the embedded store", etcd: false, skip: undefined, args: ["--list-extensions=on"] },
  {
    ...{ name: "etcd, through gateway workers", etcd: true, skip: await etcdMissing() },
    args: ["--list-extensions=on", "--object-history=on", "--gateway-workers=2"],
  },
];

for (const { name: store, etcd, skip, args } of stores) {
  describe(`the history of objects on ${store}`, { skip: skip ?? false }, () => {
    let target: StandaloneTarget;
    let http: Http;
    before(async () => {
      target = await startStandalone({ etcd, args });
      http = connect(target);
    });
    after(async () => {
      http.close();
      await target.stop();
    });

    objectHistory(() => http);

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

/** The fields of a value that its schema does not have. */
function undescribed(
  value: unknown,
  { schema, schemas, at }: { readonly schema: unknown; readonly schemas: object; readonly at: string },
): readonly string[] {
  if (!isRecord(schema)) return [`${at}: no schema`];
  const reference: unknown = schema["$ref"] ?? valueAt(schema, "allOf.0.$ref");
  const name: string | undefined =
    typeof reference === "string" ? reference.slice(reference.lastIndexOf("/") + 1) : undefined;
  if (name !== undefined)
    return undescribed(value, { schema: new Map(Object.entries(schemas)).get(name), schemas, at });
  if (Array.isArray(value))
    return value.flatMap((item, i) => undescribed(item, { schema: schema["items"], schemas, at: `${at}[${i}]` }));
  const { properties } = schema;
  if (!isRecord(value) || schema["type"] === undefined) return [];
  return Object.entries(value).flatMap(([field, inner]) =>
    undescribed(inner, { schema: isRecord(properties) ? properties[field] : undefined, schemas, at: `${at}.${field}` }),
  );
}

describe("who may read the past, and ask for it in other words", () => {
  let target: StandaloneTarget;
  let http: Http;
  let folder: string;
  let log: string;
  before(async () => {
    folder = await newFolder();
    log = join(folder, "audit.log");
    const policy = await writePolicy(folder, [
      { level: "Metadata", resources: [{ group: "", resources: ["secrets"] }] },
    ]);
    target = await startStandalone({ args: [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`] });
    http = connect(target);
  });
  after(async () => {
    http.close();
    await target.stop();
    await removeFolder(folder);
  });

  const reader: Credentials = { type: "user", name: "reader" };
  const grant = async (name: string, rules: readonly object[], user = "reader"): Promise<void> => {
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    await http.post(`${rbac}/roles`, { metadata: { name }, rules });
    const role = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name };
    const subjects = [{ kind: "User", name: user, apiGroup: "rbac.authorization.k8s.io" }];
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

  test("an audit event tells both decisions about a read of the past, and one about a read of the present", async () => {
    const secrets = "/api/v1/namespaces/default/secrets";
    const made = revisionOf(await http.post(secrets, { metadata: { name: "audited" } }));
    const auditor: Credentials = { type: "user", name: "auditor" };
    await grant("audited", [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }], "auditor");
    const ask = (path: string, as: Credentials) => http.call({ path, as });
    await until("the role is known", async () =>
      (await ask(`${secrets}/audited`, auditor)).status === 200 ? true : undefined,
    );
    const told = async (path: string, as: Credentials) => {
      const { status, headers } = await ask(path, as);
      const events = await eventsOf(log, String(headers["audit-id"]), 2);
      const annotations = events.find(({ stage }) => stage === "ResponseComplete")?.annotations ?? {};
      const [first, second] = ["authorization.k8s.io/decision", "history.orch/decision"].map((key) => annotations[key]);
      return { status, first, second, reason: annotations["history.orch/reason"] };
    };
    const past = `${secrets}/audited?at=${made}`;
    assert.deepEqual(await told(past, auditor), { status: 403, first: "allow", second: "forbid", reason: "" });
    await grant("audited-past", [{ apiGroups: [""], resources: ["secrets/history"], verbs: ["get"] }], "auditor");
    await until("the role is known", async () => ((await ask(past, auditor)).status === 200 ? true : undefined));
    const { reason, ...allowed } = await told(past, auditor);
    assert.deepEqual(allowed, { status: 200, first: "allow", second: "allow" });
    assert.match(reason ?? "", /^RBAC: allowed by RoleBinding "audited-past\/default"/);
    const present = await told(`${secrets}/audited`, auditor);
    assert.deepEqual([present.status, present.first, present.second], [200, "allow", undefined]);
    assert.equal((await told(`${secrets}/deleted`, { type: "admin" })).second, "allow");
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

  test("OpenAPI has a schema of each document, in which every field of its answers stands", async () => {
    const { path, first } = await threeStates(http, "described");
    await http.post(maps(), map("described-gone", "x"));
    await http.delete(`${maps()}/described-gone`);
    const documents = [
      await http.get(`${path}/history`),
      await http.get(`${path}/history`, { diff: first }),
      await http.get(`${maps()}/-/deleted`),
      await http.patch("/api/v1/configmaps/-/history", "merge", {}, { limit: 1 }),
    ];
    const definitions = [
      valueAt((await http.get("/openapi/v2")).json(), "definitions"),
      valueAt((await http.get("/openapi/v3/api/v1")).json(), "components.schemas"),
    ];
    for (const schemas of definitions) {
      assert.ok(isRecord(schemas));
      for (const document of documents) {
        assert.equal(document.status, 200, document.text);
        const kind = String(document.at("kind"));
        const name: string = Object.keys(schemas).find((each) => each.endsWith(`.history.orch.v1alpha1.${kind}`)) ?? "";
        assert.deepEqual(undescribed(document.json(), { schema: schemas[name], schemas, at: kind }), []);
      }
    }
  });

  test("unknown words in a question are told, not passed over", async () => {
    const { path, first } = await threeStates(http, "words");
    const wrong = [`${path}/history?foo=1`, `${path}/history?diff=x`, `${path}/history/x`, `${path}?at=yesterday`];
    for (const one of [...wrong, `${path}/history/${first}?at=1`, `${maps()}/-/deleted?continue=%20`])
      assert.equal((await http.get(one)).status, 400, one);
    assert.equal((await http.post(`${path}/rollback`, { to: first })).status, 400);
    for (const body of ["{", "[]", '{"revision":1'])
      for (const what of ["rollback", "undelete"])
        assert.equal((await http.call({ method: "POST", path: `${path}/${what}`, body })).status, 400, body);
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
