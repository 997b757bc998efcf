import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { createMetrics } from "@orch/runtime/metrics.js";
import { createAllocationMetrics } from "./metrics.js";
import { addressPool, portPool } from "./pools.js";

test("what is taken, refused, counted and repaired shows under the reference's names", async () => {
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const allocation = createAllocationMetrics(metrics, createNaming("kubernetes"));
  const addresses = addressPool({ address: [10, 0, 0, 0], bits: 24 });
  const ports = portPool({ first: 30_000, last: 32_767 });
  allocation.counted(addresses, 5);
  allocation.allocation(addresses, { scope: "dynamic", done: true });
  allocation.allocation(addresses, { scope: "static", done: false });
  allocation.counted(ports, 2);
  allocation.allocation(ports, { scope: "static", done: true });
  allocation.released(ports);
  allocation.released(ports);
  allocation.damage("ip", "leak");
  allocation.damage("port", "duplicate");
  allocation.repairFailed();
  const lines = (await metrics.text()).split("\n").filter((line) => /^(kube_)?apiserver_/.test(line));
  assert.deepEqual(lines.sort(), [
    'apiserver_clusterip_repair_ip_errors_total{type="leak"} 1',
    "apiserver_clusterip_repair_reconcile_errors_total 1",
    'apiserver_nodeport_repair_port_errors_total{type="duplicate"} 1',
    "apiserver_nodeport_repair_reconcile_errors_total 1",
    'kube_apiserver_clusterip_allocator_allocated_ips{cidr="10.0.0.0/24"} 6',
    'kube_apiserver_clusterip_allocator_allocation_errors_total{cidr="10.0.0.0/24",scope="static"} 1',
    'kube_apiserver_clusterip_allocator_allocation_total{cidr="10.0.0.0/24",scope="dynamic"} 1',
    'kube_apiserver_clusterip_allocator_available_ips{cidr="10.0.0.0/24"} 248',
    "kube_apiserver_nodeport_allocator_allocated_ports 1",
    'kube_apiserver_nodeport_allocator_allocation_total{scope="static"} 1',
    "kube_apiserver_nodeport_allocator_available_ports 2767",
  ]);
});
