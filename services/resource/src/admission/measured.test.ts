import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "@orch/runtime/metrics.js";
import { openBed } from "../testing/bed.js";
import { refusal } from "../testing/refusal.js";

test("the time of each plugin that was asked is told, and whether it refused", async (t) => {
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const { write } = await (await openBed(t, "kubernetes")).start({ metrics });
  const namespaces = { resource: "namespaces", namespace: "" };
  const labels = { "pod-security.kubernetes.io/enforce": "baseline" };
  await write(namespaces, { metadata: { name: "ns", labels } });
  const spec = { hostPID: true, containers: [{ name: "c", image: "i" }] };
  await refusal(write({ resource: "pods", namespace: "ns" }, { metadata: { name: "p" }, spec }));
  await refusal(write({ ...namespaces, verb: "delete", name: "default" }));
  await write({}, { metadata: { name: "a" } });
  const page = await metrics.text();
  const count = (name: string, operation: string, type: string, rejected: boolean): number => {
    const series = `apiserver_admission_controller_admission_duration_seconds_count{name="${name}",operation="${operation}",type="${type}",rejected="${rejected}"}`;
    const line = page.split("\n").find((each) => each.startsWith(series)) ?? assert.fail(`${series} in ${page}`);
    return Number(line.slice(series.length));
  };
  assert.equal(count("PodSecurity", "CREATE", "validate", true), 1);
  assert.ok(count("Priority", "CREATE", "admit", false) >= 1);
  assert.equal(count("NamespaceLifecycle", "DELETE", "validate", true), 1);
  assert.ok(count("ResourceQuota", "CREATE", "validate", false) >= 1);
  assert.doesNotMatch(page, /name="RBAC/);
});
