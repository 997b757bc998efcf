import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ApiObject } from "@orch/client/objects.js";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { type Answer, type Credentials, connect, type Http, type Query, valueAt } from "./harness/http.js";
import { assertFailure, done } from "./harness/status.js";
import { startDistributed, startStandalone, type Target } from "./harness/target.js";
import { until } from "./harness/until.js";

const maps = "/api/v1/configmaps";
const permitted = { scope: "permitted" };
const places = ["a", "a-b", "b", "c"] as const;
const user = (name: string): Credentials => ({ type: "user", name, groups: ["system:authenticated"] });

const targets = {
  standalone: { start: () => startStandalone({ dialect: "orch" }), skip: false },
  "standalone with workers": {
    start: () => startStandalone({ dialect: "orch", args: ["--gateway-workers=1"] }),
    skip: false,
  },
  distributed: { start: () => startDistributed({ args: ["--list-extensions=on"] }), skip: etcdMissing() ?? false },
  "distributed, with near caches": { start: startNear, skip: etcdMissing() ?? false },
} as const;

async function startNear(): Promise<Target> {
  const target = await startDistributed({ args: ["--list-extensions=on", "--near-cache=*"] });
  await until("a near cache in each gateway", () => {
    const loaded = target.cluster.gateways.every((each) => each.log().includes("answered by the near cache"));
    return loaded ? true : undefined;
  });
  return target;
}

for (const [name, { start, skip }] of Object.entries(targets)) {
  describe(`lists beyond the reference's, ${name}`, { skip }, () => {
    let target: Target;
    let http: Http;
    before(async () => {
      target = await start();
      http = connect(target);
      await fill(http, target);
    });
    after(async () => {
      http?.close();
      await target?.stop();
    });

    const list = (as: Credentials, query: Query, headers = {}) => done(http.call({ path: maps, query, as, headers }));
    const bind = (who: string, namespace: string) => bound(http, target, { who, namespace });
    /** Once every gateway knows of it. */
    const sees = (who: string, ...namespaces: string[]) =>
      until(`${who} sees ${namespaces.join()}`, async () => {
        for (let gateway = 0; gateway < target.urls.length; gateway++) {
          const seen = namespacesOf((await list(user(who), permitted)).items());
          if (seen.join() !== namespaces.join()) return undefined;
        }
        return true;
      });

    test("a list shows what its user may see of all namespaces, and no word of the others", async () => {
      await bind("bob", "a");
      await bind("bob", "c");
      await sees("bob", "a", "c");
      const answer = await list(user("bob"), { limit: 2 }, { "List-Scope": "permitted" });
      assert.deepEqual(names(answer.items()), ["a/m1", "a/m2"]);
      assert.equal(answer.at("metadata.remainingItemCount"), undefined);
      const rest = await list(user("bob"), {
        ...permitted,
        limit: 2,
        continue: String(answer.at("metadata.continue")),
      });
      assert.deepEqual(names(rest.items()), ["c/m1", "c/m2"]);
      assert.equal(rest.at("metadata.continue"), undefined);
      assert.doesNotMatch(answer.text + rest.text, /"(a-b|b)[/"]/);
      assert.deepEqual((await list(user("nobody"), permitted)).items(), []);
      assert.equal((await list({ type: "admin" }, { ...permitted, labelSelector: "test" })).items().length, 8);
      const exact = { resourceVersion: String(answer.at("metadata.resourceVersion")), resourceVersionMatch: "Exact" };
      assert.equal((await list(user("bob"), { ...permitted, ...exact })).items().length, 4);
    });

    test("what is not a list of what one may see stays refused", async () => {
      const forbidden = { code: 403, reason: "Forbidden" };
      const asked = (path: string, query: Query, method = "GET", as: Credentials = user("bob")) =>
        http.call({ method, path, query, as });
      assertFailure(await asked(maps, {}), forbidden);
      assertFailure(await asked("/api/v1/nodes", permitted), forbidden);
      assertFailure(await asked("/api/v1/namespaces/b/configmaps", permitted), forbidden);
      assertFailure(await asked(maps, { ...permitted, at: "1" }), forbidden);
      assertFailure(await asked("/api/v1/namespaces/b/configmaps", permitted, "DELETE"), forbidden);
      assertFailure(await asked(maps, permitted, "GET", { type: "user", name: "system:anonymous" }), forbidden);
      for (const as of [user("bob"), { type: "admin" } as const]) {
        const refused = await asked(maps, { scope: "all" }, "GET", as);
        assertFailure(refused, { code: 400, reason: "BadRequest", message: /scope/ });
      }
      assert.deepEqual((await done(asked("/api/v1/secrets", permitted))).items(), []);
    });

    test("a right that goes away between two pages shows nothing on the second", async () => {
      await bind("pat", "a");
      await bind("pat", "c");
      await sees("pat", "a", "c");
      const first = await list(user("pat"), { ...permitted, limit: 1 });
      await unbound(http, target, { who: "pat", namespace: "a" });
      await sees("pat", "c");
      const next = { ...permitted, continue: String(first.at("metadata.continue")) };
      assert.deepEqual(names((await list(user("pat"), next)).items()), ["c/m1", "c/m2"]);
      const foreign = await http.call({ path: maps, query: { ...next, scope: "" } });
      assertFailure(foreign, { code: 400, reason: "BadRequest", message: /not made for this list/ });
    });

    test("a watch gains what its user may see, and ends where that becomes less", async () => {
      await bind("eve", "a");
      await sees("eve", "a");
      const query = { ...permitted, allowWatchBookmarks: true };
      const watch = await http.watch(maps, query, undefined, user("eve"));
      const started = await watch.take(3);
      assert.deepEqual(types(started), ["ADDED a/m1", "ADDED a/m2", "BOOKMARK /"]);
      const before = started[2]?.object.metadata.resourceVersion ?? "";
      await bind("eve", "b");
      const gained = await watch.take(3);
      assert.deepEqual(types(gained), ["ADDED b/m1", "ADDED b/m2", "BOOKMARK /"]);
      assert.deepEqual(gained[2]?.object.metadata.annotations, { "lists.orch/permitted-changed": "true" });
      for (const place of places) await done(http.post(`/api/v1/namespaces/${place}/configmaps`, mapOf("new")));
      assert.deepEqual(types(await watch.take(2)), ["ADDED a/new", "ADDED b/new"]);
      await sees("eve", "a", "b");
      const resumed = await http.call({
        path: maps,
        query: { ...query, watch: true, resourceVersion: before },
        as: user("eve"),
      });
      assertFailure(resumed, { code: 410, reason: "Expired" });
      await unbound(http, target, { who: "eve", namespace: "b" });
      const rest = await watch.rest();
      assert.deepEqual(
        rest.map(({ type, object }) => [type, "code" in object ? object["code"] : undefined]),
        [["ERROR", 410]],
      );
      for (const place of places) await done(http.delete(`/api/v1/namespaces/${place}/configmaps/new`));
    });

    test("a list is sorted by fields, page by page, in one state", async () => {
      const sorted = { sort: "-data.size,metadata.name", labelSelector: "test" };
      const all = await list({ type: "admin" }, sorted);
      const expected = [...places.map((p) => `${p}/m1`), ...places.map((p) => `${p}/m2`)];
      // 2Gi of m1 is more than 900Mi of m2; equal ones come by their keys.
      const byKey = (a: string, b: string): number => (a < b ? -1 : 1);
      const order = [expected.slice(0, 4).sort(byKey), expected.slice(4).sort(byKey)].flat();
      assert.deepEqual(names(all.items()), order);
      const paged: string[] = [];
      let next: Query = {};
      for (let page = 0; page < 4; page++) {
        const answer = await list({ type: "admin" }, { ...sorted, limit: 2, ...next });
        paged.push(...names(answer.items()));
        next = { continue: String(answer.at("metadata.continue")) };
        if (page === 0) await done(http.post("/api/v1/namespaces/a/configmaps", mapOf("aa", "1Ti")));
      }
      assert.deepEqual(paged, order);
      await done(http.delete("/api/v1/namespaces/a/configmaps/aa"));
      const refused = await http.get(maps, { sort: "a..b" });
      assertFailure(refused, { code: 400, reason: "BadRequest", message: /sort/ });
    });

    test("fields choose what a get, a list and a watch show of objects", async () => {
      const fields = { fields: "data.size" };
      const one = (await done(http.get("/api/v1/namespaces/a/configmaps/m1", fields))).object();
      assert.deepEqual(Object.keys(one).sort(), ["apiVersion", "data", "kind", "metadata"]);
      assert.deepEqual(Object.keys(one.metadata).sort(), ["name", "namespace", "resourceVersion", "uid"]);
      assert.deepEqual(one["data"], { size: "2Gi" });
      const all = (await list({ type: "admin" }, { ...fields, labelSelector: "test" })).items();
      assert.deepEqual(all[0]?.["data"], { size: "2Gi" });
      const watch = await http.watch(maps, { ...fields, labelSelector: "test" });
      const [first] = await watch.take(1);
      assert.deepEqual(first?.object["data"], { size: "2Gi" });
      watch.close();
      const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/vnd.kubernetes.protobuf" };
      const refused = await http.call({ path: maps, query: fields, headers: table });
      if (target.naming.dialect === "kubernetes") assertFailure(refused, { code: 400, reason: "BadRequest" });
    });

    test("OpenAPI names the parameters", async () => {
      const document = await done(http.get("/openapi/v3/api/v1"));
      assert.deepEqual(parametersBeyond(document), ["fields", "scope", "sort"]);
    });

    test("label selectors have alternatives, in lists, watches and deletions", async () => {
      const labelSelector = "test=1,!x || test in (2)";
      const found = await list({ type: "admin" }, { labelSelector });
      assert.equal(found.items().length, 8);
      assert.equal((await list({ type: "admin" }, { labelSelector: "test=1 || test=3" })).items().length, 4);
      const watch = await http.watch(maps, { labelSelector: "test=2||test=3", fieldSelector: "metadata.namespace=a" });
      assert.deepEqual(types(await watch.take(1)), ["ADDED a/m2"]);
      watch.close();
      const c = "/api/v1/namespaces/c/configmaps";
      await done(http.delete(c, { labelSelector: "test=2||test=3" }));
      assert.deepEqual(names((await done(http.get(c, { labelSelector: "test" }))).items()), ["c/m1"]);
      assertFailure(await http.get(maps, { labelSelector: "a||" }), { code: 400, reason: "BadRequest" });
    });
  });
}

test("without the extensions their parameters are passed over, and alternatives are what they are in the reference", async () => {
  const target = await startStandalone({ dialect: "kubernetes" });
  const http = connect(target);
  try {
    const namespaces = "/api/v1/namespaces";
    const plain = await done(http.get(namespaces));
    assert.deepEqual(parametersBeyond(await done(http.get("/openapi/v3/api/v1"))), []);
    const asked = await done(http.get(namespaces, { sort: "-metadata.name", fields: "a", ...permitted }));
    assert.deepEqual(asked.items(), plain.items());
    assertFailure(await http.call({ path: maps, query: permitted, as: user("bob") }), {
      code: 403,
      reason: "Forbidden",
    });
    for (const method of ["GET", "DELETE"]) {
      const path = "/api/v1/namespaces/default/configmaps";
      const answer = await http.call({ method, path, query: { labelSelector: "a=b || c=d" } });
      const message = "found '||', expected: ',' or 'end of string'";
      assertFailure(answer, { code: 400, reason: "BadRequest", message: new RegExp(message.replaceAll("|", "\\|")) });
    }
  } finally {
    http.close();
    await target.stop();
  }
});

/** Parameters that the reference has not, of a list of all namespaces. */
function parametersBeyond(document: Answer): readonly string[] {
  const parameters = document.at("paths./api/v1/configmaps.parameters");
  assert.ok(Array.isArray(parameters));
  const names: readonly string[] = parameters.map((parameter) => String(valueAt(parameter, "name")));
  assert.ok(names.includes("labelSelector"));
  return names.filter((name) => ["fields", "scope", "sort"].includes(name)).sort();
}

const keyOf = ({ metadata: { namespace = "", name = "" } }: ApiObject): string => `${namespace}/${name}`;
/** But for what the controllers write into every namespace. */
const names = (items: readonly ApiObject[]): readonly string[] =>
  items.map(keyOf).filter((key) => !key.endsWith("root-ca.crt"));
const namespacesOf = (items: readonly ApiObject[]): readonly string[] => [
  ...new Set(items.map(({ metadata: { namespace = "" } }) => namespace)),
];
const types = (events: readonly { readonly type: string; readonly object: ApiObject }[]): readonly string[] =>
  events.map(({ type, object }) => `${type} ${keyOf(object)}`);

const mapOf = (name: string, size = "1") => ({ metadata: { name, labels: { test: name.slice(1) } }, data: { size } });

async function fill(http: Http, { naming }: Target): Promise<void> {
  for (const name of places) {
    await done(http.post("/api/v1/namespaces", { metadata: { name } }));
    const at = `/api/v1/namespaces/${name}/configmaps`;
    await done(http.post(at, mapOf("m1", "2Gi")));
    await done(http.post(at, mapOf("m2", "900Mi")));
  }
  const rules = [{ verbs: ["list", "watch"], apiGroups: [""], resources: ["configmaps"] }];
  await done(
    http.post(`/apis/${naming.group("rbac.authorization")}/v1/clusterroles`, { metadata: { name: "maps" }, rules }),
  );
}

interface Bound {
  readonly who: string;
  readonly namespace: string;
}

function bound(http: Http, { naming }: Target, { who, namespace }: Bound) {
  const apiGroup = naming.group("rbac.authorization");
  return done(
    http.post(`/apis/${apiGroup}/v1/namespaces/${namespace}/rolebindings`, {
      metadata: { name: who },
      roleRef: { apiGroup, kind: "ClusterRole", name: "maps" },
      subjects: [{ apiGroup, kind: "User", name: who }],
    }),
  );
}

function unbound(http: Http, { naming }: Target, { who, namespace }: Bound) {
  return done(
    http.delete(`/apis/${naming.group("rbac.authorization")}/v1/namespaces/${namespace}/rolebindings/${who}`),
  );
}
