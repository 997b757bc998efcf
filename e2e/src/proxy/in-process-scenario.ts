// Run by proxy-traffic.test.ts in a network namespace of its own: node in-process-scenario.js MODE
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { clientOf } from "../harness/clients.js";
import { startStandalone } from "../harness/target.js";
import { until } from "../harness/until.js";

const mode = process.argv[2] ?? "nftables";
const [address, service] = ["192.0.2.1", "172.30.0.10"];

test(`a server with --proxy=${mode} leads connections to a service's address to its endpoint`, async (t) => {
  const ip = (...args: readonly string[]) => execFileSync("ip", args);
  ip("link", "set", "lo", "up");
  ip("link", "add", "out0", "type", "veth", "peer", "name", "out1");
  ip("address", "add", `${address}/24`, "dev", "out0");
  for (const each of ["out0", "out1"]) ip("link", "set", each, "up");
  ip("route", "add", "default", "dev", "out0");
  const pod = createServer((_, response) => response.end("the pod")).listen(0, address);
  t.after(() => pod.close());
  await once(pod, "listening");
  const bound = pod.address();
  assert.ok(bound !== null && typeof bound === "object");
  const args = [`--proxy=${mode}`, "--service-cluster-ip-range=172.30.0.0/24"];
  const target = await startStandalone({ args });
  t.after(() => target.stop());
  const client = await clientOf(target);
  t.after(() => client.close());
  const namespace = "default";
  const ports = [{ name: "http", port: 80, targetPort: bound.port }];
  await client.create(
    { group: "", version: "v1", resource: "services", namespace },
    { metadata: { name: "web" }, spec: { clusterIP: service, ports } },
  );
  await client.create(
    { group: "discovery.k8s.io", version: "v1", resource: "endpointslices", namespace },
    {
      metadata: { name: "web-1", labels: { "kubernetes.io/service-name": "web" } },
      ...{ addressType: "IPv4", endpoints: [{ addresses: [address], conditions: { ready: true } }] },
      ports: [{ name: "http", port: bound.port, protocol: "TCP" }],
    },
  );
  const answer = await until("an answer of the pod", async () => {
    const signal = AbortSignal.timeout(1_000);
    return await fetch(`http://${service}/`, { signal })
      .then((one) => one.text())
      .catch(() => undefined);
  });
  assert.equal(answer, "the pod");
});
