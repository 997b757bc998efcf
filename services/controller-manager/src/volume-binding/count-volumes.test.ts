import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { createMetrics } from "@orch/runtime/metrics.js";
import { createTelemetry } from "../metrics.js";
import { countVolumes } from "./count-volumes.js";
import { bindingWords, type Claim, type Volume } from "./types.js";

test("metrics count volumes and claims by what they are, until nobody follows them", async () => {
  const words = bindingWords(createNaming("kubernetes"));
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const telemetry = createTelemetry(metrics, () => 0);
  const made: Volume = { metadata: {}, spec: { storageClassName: "fast", ...{ csi: {} } }, status: { phase: "Bound" } };
  const volumes: Volume[] = [made, made, { metadata: {}, spec: { volumeMode: "Block", ...{ iscsi: {} } } }];
  const spec = { storageClassName: "fast", volumeAttributesClassName: "gold" };
  const claims: Claim[] = [{ metadata: { namespace: "ns" }, spec }];
  claims.push({ metadata: { namespace: "ns" }, spec, status: { phase: "Bound" } });
  telemetry.countVolumes(() => countVolumes(volumes, claims, words));
  const lines = async () => (await metrics.text()).split("\n").filter((line) => line.startsWith("pv_collector_"));
  assert.deepEqual((await lines()).sort(), [
    'pv_collector_bound_pv_count{storage_class="fast"} 2',
    'pv_collector_bound_pvc_count{namespace="ns",storage_class="fast",volume_attributes_class="gold"} 1',
    'pv_collector_total_pv_count{plugin_name="N/A",volume_mode="Block"} 1',
    'pv_collector_total_pv_count{plugin_name="kubernetes.io/csi",volume_mode="Filesystem"} 2',
    'pv_collector_unbound_pv_count{storage_class=""} 1',
    'pv_collector_unbound_pvc_count{namespace="ns",storage_class="fast",volume_attributes_class="gold"} 1',
  ]);
  volumes.pop();
  assert.equal((await lines()).length, 4);
  telemetry.countVolumes(undefined);
  assert.deepEqual(await lines(), []);
});

test("metrics count claims of devices, and how many could not be made", async () => {
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const telemetry = createTelemetry(metrics, () => 0);
  telemetry.countDeviceClaims(() => ({ all: 3, allocated: 2 }));
  telemetry.deviceClaimMade(true);
  telemetry.deviceClaimMade(false);
  const text = await metrics.text();
  for (const line of [
    "create_attempts_total 2",
    "create_failures_total 1",
    "resource_claims 3",
    "allocated_resource_claims 2",
  ])
    assert.ok(text.includes(`\nresourceclaim_controller_${line}\n`), line);
});
