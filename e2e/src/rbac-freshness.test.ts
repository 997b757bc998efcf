import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { type Call, type Credentials, connect, type Http } from "./harness/http.js";
import { done } from "./harness/status.js";
import { type DistributedTarget, startDistributed } from "./harness/target.js";
import { until } from "./harness/until.js";

const skip = etcdMissing() ?? false;
const group = "rbac.authorization.k8s.io";
const bindings = `/apis/${group}/v1/clusterrolebindings`;
/** Far over the second that is promised: this machine may be busy. */
const patienceMs = 5000;
const changes = 20;

let target: DistributedTarget;
let http: Http;
/** One for each gateway. */
let gateways: readonly Http[];

before(async () => {
  if (skip !== false) return;
  target = await startDistributed();
  http = connect(target);
  gateways = target.urls.map((_, gateway) => connect(target, { gateway }));
});
after(async () => {
  for (const each of [http, ...(gateways ?? [])]) each?.close();
  await target?.stop();
});

const user = (name: string): Credentials => ({ type: "user", name });

const bindingOf = (name: string) => ({
  metadata: { name },
  roleRef: { apiGroup: group, kind: "ClusterRole", name: "view" },
  subjects: [{ apiGroup: group, kind: "User", name }],
});

/** What a gateway decides: it needs no cache for that. */
async function decides(gateway: Http, name: string): Promise<boolean> {
  const body = { spec: { resourceAttributes: { verb: "list", resource: "configmaps", namespace: "default" } } };
  const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const answer = await done(gateway.call({ method: "POST", path, body, as: user(name) }));
  return answer.at("status.allowed") === true;
}

/** Waits until every gateway decides so; the milliseconds that it took. */
async function everywhere(name: string, allowed: boolean): Promise<number> {
  const start = performance.now();
  await Promise.all(
    gateways.map((gateway, i) =>
      until(`gateway ${i} ${allowed ? "allows" : "refuses"} ${name}`, async () =>
        (await decides(gateway, name)) === allowed ? true : undefined,
      ),
    ),
  );
  return performance.now() - start;
}

test("a change of who may do what holds on every gateway within a second", { skip }, async (t) => {
  assert.equal(gateways.length, 2);
  const name = "fresh";
  for (const gateway of gateways) assert.equal(await decides(gateway, name), false);
  const took: number[] = [];
  for (let i = 0; i < changes; i++) {
    const given = i % 2 === 0;
    // The change is made through one, which tells the others nothing.
    const through = gateways[i % 4 < 2 ? 0 : 1];
    assert.ok(through !== undefined);
    await done(given ? through.post(bindings, bindingOf(name)) : through.delete(`${bindings}/${name}`));
    took.push(await everywhere(name, given));
  }
  t.diagnostic(`${changes} changes: the slowest held everywhere after ${Math.max(...took).toFixed(0)} ms`);
  assert.equal(took.length, changes);
  // A machine with much else to do may hold up some of them, not most.
  const usual = took.toSorted((a, b) => a - b)[changes / 2] ?? 0;
  assert.ok(usual < patienceMs, `${took.map((ms) => ms.toFixed(0)).join(" ")} ms`);
});

test("watch caches killed: what was decided goes on, and what changes meanwhile arrives after", { skip }, async () => {
  const { watchCaches } = target.cluster;
  await done(http.post(bindings, bindingOf("old-friend")));
  await everywhere("old-friend", true);
  await Promise.all(watchCaches.map((cache) => cache.kill()));
  // Whoever is down can not tell: the rules of before hold, on every gateway.
  for (const gateway of gateways) {
    assert.equal(await decides(gateway, "old-friend"), true);
    assert.equal(await decides(gateway, "new-friend"), false);
  }
  await done(http.post(bindings, bindingOf("new-friend")));
  await done(http.delete(`${bindings}/old-friend`));
  for (const gateway of gateways) {
    assert.equal(await decides(gateway, "old-friend"), true);
    assert.equal(await decides(gateway, "new-friend"), false);
  }
  await Promise.all(watchCaches.map((cache) => cache.restart()));
  await everywhere("new-friend", true);
  await everywhere("old-friend", false);
  // And those after the restart.
  await done(http.delete(`${bindings}/new-friend`));
  await everywhere("new-friend", false);
});

test("one watch cache of two killed: changes go on arriving everywhere", { skip }, async () => {
  const [first] = target.cluster.watchCaches;
  assert.ok(first !== undefined);
  await first.kill();
  await done(http.post(bindings, bindingOf("half")));
  await everywhere("half", true);
  await first.restart();
  await done(http.delete(`${bindings}/half`));
  await everywhere("half", false);
});

test("a gateway that does not know the rules yet allows nothing but the paths of probes", { skip }, async () => {
  const { watchCaches, gateways: processes } = target.cluster;
  const [process] = processes;
  const [gateway] = gateways;
  assert.ok(process !== undefined && gateway !== undefined);
  await done(http.post(bindings, bindingOf("waits")));
  await everywhere("waits", true);
  await process.stop();
  await Promise.all(watchCaches.map((cache) => cache.stop()));
  await process.restart();
  const calls: readonly (readonly [Call, who: Credentials])[] = [
    [{ path: "/api/v1/namespaces/default/configmaps" }, user("waits")],
    [{ path: "/api/v1/namespaces/default/configmaps", query: { watch: true } }, user("waits")],
    [{ path: "/version" }, user("waits")],
    [{ path: "/version" }, { type: "anonymous" }],
    [{ path: "/api/v1/secrets" }, { type: "token", token: target.strangerToken }],
    [{ method: "DELETE", path: "/api/v1/namespaces/default" }, user("waits")],
    [
      {
        ...{ method: "POST", path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews" },
        body: { spec: { nonResourceAttributes: { verb: "get", path: "/version" } } },
      },
      user("waits"),
    ],
  ];
  const [statuses, live, ready] = await Promise.all([
    Promise.all(calls.map(async ([call, as]) => (await gateway.call({ ...call, as })).status)),
    gateway.call({ path: "/livez", as: { type: "anonymous" } }),
    gateway.call({ path: "/readyz", as: { type: "anonymous" } }),
  ]);
  for (const [i, status] of statuses.entries()) {
    assert.ok(status === 403 || status === 503, `${calls[i]?.[0].path}: ${status}`);
  }
  assert.ok(statuses.includes(503), "the rules were known after all");
  // Probes are answered, and say that it does not serve yet.
  for (const probe of [live, ready]) {
    assert.equal(probe.status, 500, probe.text);
    assert.match(probe.text, /^\[\+\]ping ok$/m);
  }
  assert.match(ready.text, /^\[-\]authorization failed/m);

  await Promise.all(watchCaches.map((cache) => cache.restart()));
  await until("the gateway serves", async () => {
    const { status } = await gateway.call({ path: "/api/v1/namespaces/default/configmaps", as: user("waits") });
    return status === 200 ? true : undefined;
  });
  for (const path of ["/readyz", "/livez"]) {
    // What else a gateway follows, the flow schemas, comes at its own time.
    await until(`${path} is good`, async () => {
      const { status } = await gateway.call({ path, as: { type: "anonymous" } });
      return status === 200 ? true : undefined;
    });
  }
});
