import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Resources } from "@orch/api/kinds/core/resources.js";
import type { QuotaStatus } from "@orch/api/quota/types.js";
import type { WriteRequest } from "@orch/rpc/messages.js";
import { key } from "@orch/store/revision.js";
import { type Admitted, admitted, podOf, podsOf } from "../../testing/admitted.js";

const quotas = { resource: "resourcequotas" } as const;

interface Limited extends Admitted {
  used(name?: string): Promise<Resources>;
  /** As the controller does it. */
  count(name: string, status: QuotaStatus): Promise<void>;
}

async function start(t: TestContext, hard: Resources, used: Resources): Promise<Limited> {
  const cluster = await admitted(t);
  const limited: Limited = {
    ...cluster,
    async used(name = "q") {
      const at = key(`${cluster.naming.storePrefix}resourcequotas/default/${name}`);
      const entry = await cluster.store.get(at);
      assert.ok(entry !== undefined);
      return JSON.parse(entry.value.toString()).status.used;
    },
    async count(name, status) {
      await cluster.make({ ...quotas, verb: "update", name, subresource: "status" }, { metadata: { name }, status });
      await cluster.settled();
    },
  };
  await cluster.make(quotas, { metadata: { name: "q" }, spec: { hard } });
  await limited.count("q", { hard, used });
  return limited;
}

const full = "exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=2, limited: count/configmaps=2";

test("creates use up a quota; updates and other namespaces do not", async (t) => {
  const { says, used } = await start(t, { "count/configmaps": "2" }, { "count/configmaps": "1" });
  assert.equal(await says({}, { metadata: { name: "a" } }), "ok");
  assert.deepEqual(await used(), { "count/configmaps": "2" });
  assert.equal(await says({}, { metadata: { name: "b" } }), `403 configmaps "b" is forbidden: ${full}`);
  assert.equal(
    await says({ options: { dryRun: "All" } }, { metadata: { name: "b" } }),
    `403 configmaps "b" is forbidden: ${full}`,
  );
  const update = { verb: "update", name: "a" } as const;
  assert.equal(await says(update, { metadata: { name: "a" }, data: { k: "v" } }), "ok");
  assert.equal(await says({ namespace: "kube-system" }, { metadata: { name: "b" } }), "ok");
  assert.deepEqual(await used(), { "count/configmaps": "2" });
});

test("what is only tried raises nothing", async (t) => {
  const { says, used } = await start(t, { "count/configmaps": "2" }, { "count/configmaps": "1" });
  assert.equal(await says({ options: { dryRun: "All" } }, { metadata: { name: "b" } }), "ok");
  assert.deepEqual(await used(), { "count/configmaps": "1" });
});

test("a quota that nobody has counted limits nothing", async (t) => {
  const { says } = await start(t, {}, {});
  assert.equal(await says({}, { metadata: { name: "a" } }), "ok");
});

for (const services of [1, 3]) {
  test(`a hundred creates at once never pass a quota, with ${services} services on the store`, async (t) => {
    const hard = { "count/configmaps": "37", configmaps: "40" };
    const first = await start(t, hard, { "count/configmaps": "1", configmaps: "1" });
    const all = [first, ...(await Promise.all(Array.from({ length: services - 1 }, () => first.again())))];
    const says = await Promise.all(
      Array.from({ length: 100 }, (_, i) => (all[i % all.length] ?? first).says({}, { metadata: { name: `c${i}` } })),
    );
    const done = says.filter((said) => said === "ok");
    assert.equal(done.length, 36);
    assert.deepEqual(await first.used(), { "count/configmaps": "37", configmaps: "37" });
    assert.match(says.find((said) => said !== "ok") ?? "", /exceeded quota: q, requested: count\/configmaps=1/);
  });
}

test("a service that changes its type is charged with the difference, a claim that grows with what it grows by", async (t) => {
  const hard = { services: "5", "services.nodeports": "2", "requests.storage": "3Gi" };
  const zero = { services: "0", "services.nodeports": "0", "requests.storage": "0" };
  const { make, says, used } = await start(t, hard, zero);
  const of: Partial<WriteRequest> = { resource: "services" };
  const ports = [1, 2].map((port) => ({ port, name: `p${port}` }));
  await make(of, { metadata: { name: "s" }, spec: { ports } });
  const patch = { ...of, verb: "patch", name: "s", contentType: "application/merge-patch+json" } as const;
  assert.equal(await says(patch, { spec: { type: "NodePort" } }), "ok");
  assert.deepEqual(await used(), { services: "1", "services.nodeports": "2", "requests.storage": "0" });
  const why =
    "exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=2, limited: services.nodeports=2";
  const third = { metadata: { name: "t" }, spec: { type: "NodePort", ports: [{ port: 1 }] } };
  assert.equal(await says(of, third), `403 services "t" is forbidden: ${why}`);
  assert.equal(await says(patch, { spec: { type: "ClusterIP" } }), "ok");
  assert.deepEqual(await used(), { services: "1", "services.nodeports": "0", "requests.storage": "0" });
});

test("pods are measured after all that other plugins give them", async (t) => {
  const cluster = await start(t, { "limits.cpu": "3" }, { "limits.cpu": "0" });
  const limits = [{ type: "Container", default: { cpu: "2" } }];
  await cluster.make({ resource: "limitranges" }, { metadata: { name: "l" }, spec: { limits } });
  await cluster.settled();
  assert.equal(await cluster.says(podsOf, podOf("a")), "ok");
  assert.deepEqual(await cluster.used(), { "limits.cpu": "2" });
  const why = "exceeded quota: q, requested: limits.cpu=2, used: limits.cpu=2, limited: limits.cpu=3";
  assert.equal(await cluster.says(podsOf, podOf("b")), `403 pods "b" is forbidden: ${why}`);
});

test("a refusal of a mirror that is behind does not count: what was freed a moment ago can be used", async (t) => {
  const { says, make } = await start(t, { "count/configmaps": "1" }, { "count/configmaps": "1" });
  const status = { hard: { "count/configmaps": "1" }, used: { "count/configmaps": "0" } };
  await make({ ...quotas, verb: "update", name: "q", subresource: "status" }, { metadata: { name: "q" }, status });
  assert.equal(await says({}, { metadata: { name: "a" } }), "ok");
});
