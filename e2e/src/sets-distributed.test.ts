import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { etcdMissing } from "@orch/store/testing/etcd-server.js";
import { type Answer, connect, type Http } from "./harness/http.js";
import { type DistributedTarget, startDistributed } from "./harness/target.js";

/** Sets where each gateway is a process of its own, and the store is etcd. */
let target: DistributedTarget | undefined;
let gateways: readonly Http[] = [];

before(async () => {
  if ((await etcdMissing()) !== undefined) return;
  const distributed = await startDistributed({ args: ["--runtime-config=sets.orch/v1alpha1=true"] });
  target = distributed;
  gateways = distributed.urls.map((_url, gateway) => connect(distributed, { gateway }));
});
after(async () => {
  for (const http of gateways) http.close();
  await target?.stop();
});

const path = "/apis/sets.orch/v1alpha1/clustersets/all";
const put = (http: Http | undefined, objects: readonly object[]): Promise<Answer> => {
  assert.ok(http);
  return http.put(path, { metadata: { name: "all" }, spec: { objects } });
};
const ground = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "sets" } },
  {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: "gears.sets.example.com" },
    spec: {
      ...{ group: "sets.example.com", scope: "Namespaced", names: { plural: "gears", kind: "Gear" } },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  },
];
const gear = { apiVersion: "sets.example.com/v1", kind: "Gear", metadata: { name: "g", namespace: "sets" } };
const map = (name: string, value: string) => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "sets" } },
  data: { k: value },
});

test("gateways change one set in turns, and none of their changes is lost or mixed", async (t) => {
  const missing = await etcdMissing();
  if (missing !== undefined) return t.skip(missing);
  const [one, other] = gateways;
  const made = await put(one, [gear, map("m", "0"), ...ground]);
  assert.equal(made.status, 201, made.text);
  assert.equal(made.at("status.phase"), "Applied");
  assert.equal(made.at("status.message"), "written one by one");
  for (let round = 1; round <= 4; round++) {
    const answers = await Promise.all(
      [one, other].map((http, i) => put(http, [gear, ...ground, map("m", `${round}-${i}`), map(`own-${i}`, "v")])),
    );
    for (const { status, text } of answers) assert.ok(status === 200 || status === 409, text);
    const won = answers.flatMap(({ status }, i) => (status === 200 ? [i] : []));
    assert.ok(won.length > 0, answers.map(({ text }) => text).join());
    const there = (await one?.get("/api/v1/namespaces/sets/configmaps"))?.items() ?? [];
    const data = Object.fromEntries(there.map((item) => [item.metadata.name, JSON.stringify(item["data"])]));
    const last = won.find((i) => data["m"] === JSON.stringify({ k: `${round}-${i}` }));
    assert.deepEqual(Object.keys(data).sort(), ["m", `own-${last}`]);
  }
  assert.equal((await other?.delete(path))?.status, 200);
  assert.equal((await one?.get("/api/v1/namespaces/sets/configmaps"))?.items().length, 0);
});
