import assert from "node:assert/strict";
import { test } from "node:test";
import { createServiceAddresses, type ServiceEndpoints, type ServiceState } from "./service-addresses.js";

const plain: ServiceState = {
  ...{ type: "ClusterIP", clusterIP: "10.0.0.1", externalName: "" },
  ports: [{ name: "hook", port: 443 }],
};
const two: ServiceEndpoints = { addresses: ["10.1.0.1", "10.1.0.2"], ports: new Map([["hook", 8443]]) };
const other: ServiceEndpoints = { addresses: ["10.1.0.9"], ports: new Map([["metrics", 9090]]) };

interface Row {
  readonly what: string;
  readonly service: ServiceState | undefined;
  readonly endpoints?: readonly ServiceEndpoints[];
  readonly prefer?: "endpoints" | "clusterAddress";
  readonly at: string;
}

const rows: readonly Row[] = [
  { what: "an endpoint that serves the port", service: plain, endpoints: [other, two], at: "10.1.0.2:8443" },
  { what: "the cluster address where no endpoint is ready", service: plain, endpoints: [other], at: "10.0.0.1:443" },
  {
    what: "the cluster address where that is asked for",
    service: plain,
    endpoints: [two],
    prefer: "clusterAddress",
    at: "10.0.0.1:443",
  },
  { what: "no Service", service: undefined, at: 'service "hook" not found' },
  { what: "another port", service: { ...plain, ports: [] }, at: 'no service port 443 found for service "hook"' },
  { what: "neither", service: { ...plain, clusterIP: "None" }, at: 'no endpoints available for service "hook"' },
  {
    what: "a name outside of the cluster",
    service: { ...plain, type: "ExternalName", externalName: "hook.example.com", ports: [] },
    at: "hook.example.com:443",
  },
];

for (const { what, service, endpoints = [], prefer = "endpoints", at } of rows) {
  test(`a Service leads to ${what}`, async () => {
    const objects = { service: async () => service, endpoints: async () => endpoints };
    const resolve = createServiceAddresses(objects, { random: () => 0.99, prefer });
    const found = await resolve({ namespace: "default", name: "hook", port: 443 }).then(
      ({ host, port }) => `${host}:${port}`,
      (error: unknown) => (error instanceof Error ? error.message : ""),
    );
    assert.equal(found, at);
  });
}
