import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming, dialects } from "@orch/naming/naming.js";
import { readConfigurations } from "../read-configurations.js";
import { testProperties } from "../testing/properties.js";
import { agentConfiguration } from "./agent.js";

for (const dialect of dialects) testProperties(agentConfiguration(createNaming(dialect)));

test("what is not acted on is kept, what nobody knows is refused", () => {
  const kind = agentConfiguration(createNaming("kubernetes"));
  const read = (body: string) =>
    readConfigurations(`apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n${body}`, [kind]);
  const kept = read("kubeReserved: {cpu: 100m}\nevictionHard: {memory.available: 1Gi}\nmaxPods: 7\n");
  assert.ok(kept.ok);
  const config = kept.documents.map(kind.from)[0];
  assert.ok(config);
  assert.deepEqual([config.maxPods, config.registerNode, config.nodeLeaseDurationSeconds], [7, true, 40]);
  assert.match(kind.print(config), /\nkubeReserved:\n {2}cpu: 100m\n/);
  assert.match(kind.print(config), /\nevictionHard:\n {2}memory.available: 1Gi\n/);
  const unknown = read("evictionHrd: {}");
  assert.deepEqual(unknown.ok ? [] : unknown.problems, ['strict decoding error: unknown field "evictionHrd"']);
  const wrong = read("nodeLeaseDurationSeconds: -1");
  assert.deepEqual(wrong.ok ? [] : wrong.problems, [
    "nodeLeaseDurationSeconds: Invalid value: -1: must be greater than 0",
  ]);
});
