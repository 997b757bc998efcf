import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { createInProcess } from "@orch/rpc/in-process.js";
import type { ListRequest } from "@orch/rpc/messages.js";
import { watchCacheGet, watchCacheList } from "@orch/rpc/methods.js";
import { notFound } from "@orch/status/api-error.js";
import { askedServices, endpointsOfSubsets } from "./service-objects.js";

const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));

test("Services and what is ready behind them are asked of the watch caches", async () => {
  const { services, caller } = createInProcess();
  const asked: ListRequest[] = [];
  services.unary(watchCacheGet, ({ name, namespace }) => {
    if (name !== "web") throw notFound({ group: "", resource: "services" }, name);
    const spec = { clusterIP: "10.0.0.1", ports: [{ port: 443 }, { name: "x", port: 8443 }] };
    return { body: json({ metadata: { name, namespace }, spec }) };
  });
  services.stream(watchCacheList, (request, sender) => {
    asked.push(request);
    const endpoints = [
      { addresses: ["1.1.1.1"], conditions: {} },
      { addresses: ["2.2.2.2"], conditions: { ready: false } },
      { addresses: ["3.3.3.3"], conditions: { ready: true } },
    ];
    const slice = { metadata: {}, endpoints, ports: [{ port: 80 }, { name: "none" }] };
    sender.send({ body: json({ metadata: {}, items: [slice, { metadata: {}, endpoints: null, ports: null }] }) });
    sender.end();
  });
  const found = askedServices({ caches: () => caller, naming: createNaming("kubernetes") });
  assert.deepEqual(await found.service("ns", "web"), {
    ...{ type: "ClusterIP", clusterIP: "10.0.0.1", externalName: "" },
    ports: [
      { name: "", port: 443 },
      { name: "x", port: 8443 },
    ],
  });
  assert.equal(await found.service("ns", "other"), undefined);
  assert.deepEqual(await found.endpoints("ns", "web"), [
    { addresses: ["1.1.1.1", "3.3.3.3"], ports: new Map([["", 80]]) },
    { addresses: [], ports: new Map() },
  ]);
  const [{ group, resource, namespace, labelSelector, resourceVersion }] = [asked[0] ?? assert.fail()];
  assert.deepEqual(
    { group, resource, namespace, labelSelector, resourceVersion },
    {
      ...{ group: "discovery.k8s.io", resource: "endpointslices", namespace: "ns" },
      ...{ labelSelector: "kubernetes.io/service-name=web", resourceVersion: "0" },
    },
  );
});

test("an Endpoints object tells who is ready in each subset", () => {
  const subsets = [{ addresses: [{ ip: "1.1.1.1" }], ports: [{ name: "a", port: 1 }] }, { notReadyAddresses: [] }];
  assert.deepEqual(endpointsOfSubsets({ metadata: {}, subsets }), [
    { addresses: ["1.1.1.1"], ports: new Map([["a", 1]]) },
    { addresses: [], ports: new Map() },
  ]);
});
