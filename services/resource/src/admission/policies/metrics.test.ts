import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "@orch/runtime/metrics.js";
import { admitted, clusterWide } from "../../testing/admitted.js";

test("each use of a mutating policy is counted, by what became of it", async (t) => {
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const { make, settled, write } = await admitted(t, { mutatingPolicies: true, metrics });
  const of = (resource: string) => ({ ...clusterWide(resource, "admissionregistration.k8s.io"), version: "v1alpha1" });
  const rule = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
  const mutate = async (name: string, expression: string, more: object = {}): Promise<void> => {
    const spec = {
      ...{ matchConstraints: { resourceRules: [rule] }, reinvocationPolicy: "Never", failurePolicy: "Ignore", ...more },
      mutations: [{ patchType: "JSONPatch", jsonPatch: { expression } }],
    };
    await make(of("mutatingadmissionpolicies"), { metadata: { name }, spec });
    await make(of("mutatingadmissionpolicybindings"), { metadata: { name }, spec: { policyName: name } });
  };
  await mutate("good", `[JSONPatch{op: "add", path: "/data/x", value: "1"}]`);
  await mutate("bad", `[JSONPatch{op: "remove", path: "/nothing/here"}]`);
  const conditions = (expression: string) => ({ matchConditions: [{ name: "c", expression }] });
  await mutate("elsewhere", `[JSONPatch{op: "add", path: "/data/y", value: "1"}]`, conditions("false"));
  await mutate("unsure", `[JSONPatch{op: "add", path: "/data/y", value: "1"}]`, conditions("object.nope == 1"));
  await settled();
  await write({}, { metadata: { name: "a" }, data: { a: "b" } });
  await write({}, { metadata: { name: "b" }, data: { a: "b" } });
  const page = await metrics.text();
  const lines = page.split("\n").filter((line) => line.startsWith("apiserver_mutating_admission_policy_check_total{"));
  const series = (name: string, type: string): string =>
    `apiserver_mutating_admission_policy_check_total{policy="${name}",policy_binding="${name}",error_type="${type}"} 2`;
  assert.deepEqual(lines.sort(), [
    series("bad", "invalid_error"),
    series("good", "no_error"),
    series("unsure", "invalid_error"),
  ]);
  assert.match(page, /^apiserver_mutating_admission_policy_check_duration_seconds_count\{policy="good",.*\} 2$/m);
});
