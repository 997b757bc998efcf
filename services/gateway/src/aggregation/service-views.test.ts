import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { createServiceViews } from "./service-views.js";
import { createTestCluster, until } from "./testing/cluster.js";

const metadata = { namespace: "ns", name: "svc" };

async function setup() {
  const cluster = createTestCluster();
  const views = createServiceViews(cluster.objects, createNaming("kubernetes"));
  let changes = 0;
  const { view, release } = views.hold(metadata, () => void changes++);
  await until(() => view().loaded);
  return { cluster, views, view, release, changes: () => changes };
}

test("a Service is seen as it is now, and nothing of another one", async () => {
  const { cluster, view, changes } = await setup();
  assert.deepEqual(view(), { loaded: true, service: undefined, endpoints: undefined });
  const before = changes();
  cluster.put("services", { metadata: { ...metadata, name: "other" } });
  cluster.put("services", { metadata: { ...metadata, namespace: "elsewhere" } });
  assert.equal(changes(), before);
  cluster.put("services", { metadata, spec: { clusterIP: "10.0.0.1", ports: [{ name: "https", port: 443 }] } });
  assert.deepEqual(view().service, {
    type: "ClusterIP",
    clusterIP: "10.0.0.1",
    externalName: "",
    ports: [{ name: "https", port: 443 }],
  });
  cluster.remove("services", "svc");
  assert.equal(view().service, undefined);
  assert.equal(changes(), before + 2);
});

test("endpoints are those of its slices that are ready, else those of its Endpoints", async () => {
  const { cluster, view } = await setup();
  const ports = [{ name: "https", port: 6443 }];
  const named = new Map([["https", 6443]]);
  const subset = { addresses: [{ ip: "10.0.0.1" }], notReadyAddresses: [{ ip: "10.0.0.9" }], ports };
  cluster.put("endpoints", { metadata, subsets: [subset] });
  assert.deepEqual(view().endpoints, [{ addresses: ["10.0.0.1"], ports: named }]);
  const endpoints = [
    { addresses: ["10.0.0.2"], conditions: { ready: true } },
    { addresses: ["10.0.0.3"], conditions: { ready: false } },
    { addresses: ["10.0.0.4"] },
  ];
  const labels = { "kubernetes.io/service-name": "svc" };
  cluster.put("endpointslices", { metadata: { namespace: "ns", name: "s1", labels }, endpoints, ports });
  cluster.put("endpointslices", { metadata: { namespace: "ns", name: "s2" }, endpoints, ports });
  assert.deepEqual(view().endpoints, [{ addresses: ["10.0.0.2", "10.0.0.4"], ports: named }]);
});

test("it is followed once for all who hold it, and for nobody after the last", async () => {
  const { cluster, views, release } = await setup();
  const second = views.hold(metadata, () => {});
  assert.equal(cluster.followers("services"), 1);
  release();
  assert.equal(cluster.followers("services"), 1);
  second.release();
  assert.equal(cluster.followers("services"), 0);
});
