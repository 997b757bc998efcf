import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeFactsOf } from "../model/node-info.js";
import type { RawNode } from "../model/objects.js";
import { askedText, podInfoOf } from "../model/pod-info.js";
import { naming, node, type PodWords, pod } from "../testing/cluster-of.js";
import { type ClusterEvent, concerns, eventLabel, nodeActions, podActions } from "./events.js";

const facts = (raw: RawNode) => nodeFactsOf(raw, naming);
const ready = (status: string, reason: string): RawNode => {
  const plain = node("n");
  return { ...plain, status: { ...plain.status, conditions: [{ type: "Ready", status, reason }] } };
};

const nodes: readonly (readonly [before: RawNode, after: RawNode, actions: readonly string[]])[] = [
  [node("n"), node("n"), []],
  [node("n"), node("n", { has: { cpu: "8" } }), ["UpdateNodeAllocatable"]],
  [node("n"), node("n", { labels: { a: "b" } }), ["UpdateNodeLabel"]],
  [node("n"), node("n", { unschedulable: true }), ["UpdateNodeTaint"]],
  [
    node("n"),
    node("n", { taints: [{ key: "k", effect: "NoSchedule" }], labels: { a: "" } }),
    ["UpdateNodeLabel", "UpdateNodeTaint"],
  ],
  [ready("True", "x"), ready("False", "y"), ["UpdateNodeCondition"]],
];
for (const [before, after, actions] of nodes) {
  test(`what differs between nodes: ${actions.join(", ") || "nothing"}`, () => {
    assert.deepEqual([...nodeActions(facts(before), facts(after))], actions);
  });
}

test("what a pod tolerates for longer than a number holds is compared", () => {
  const tolerating = (tolerationSeconds: bigint) =>
    of({ spec: { tolerations: [{ key: "k", operator: "Exists", ...{ tolerationSeconds } }] } });
  const [long, longer] = [tolerating(9_000_000_000_000_000_000n), tolerating(9_000_000_000_000_000_001n)];
  assert.deepEqual([...podActions(long, longer)], ["UpdatePodTolerations"]);
  assert.deepEqual([...podActions(long, long)], ["Update"]);
  assert.notEqual(askedText(long), askedText(longer));
});

const of = (words: PodWords) => podInfoOf(pod("p", words));
const gated: PodWords = { spec: { schedulingGates: [{ name: "g" }] } };
const pods: readonly (readonly [before: PodWords, after: PodWords, action: string])[] = [
  [{}, { labels: { a: "b" } }, "UpdatePodLabel"],
  [{ asks: { cpu: "2" } }, { asks: { cpu: "1" } }, "UpdatePodScaleDown"],
  [{ asks: { cpu: "1" } }, { asks: { cpu: "2" } }, "Update"],
  [{ asks: { "a.b/c": "1" } }, {}, "UpdatePodScaleDown"],
  [gated, {}, "UpdatePodSchedulingGatesEliminated"],
  [{}, { spec: { tolerations: [{ operator: "Exists" }] } }, "UpdatePodTolerations"],
];
for (const [before, after, action] of pods) {
  test(`what differs between pods: ${action}, ${JSON.stringify(after)}`, () => {
    assert.deepEqual([...podActions(of(before), of(after))], [action]);
  });
}

test("every update is an Update, a pod on a node is a Pod, everything is everything", () => {
  const event: ClusterEvent = { resource: "AssignedPod", actions: new Set(["UpdatePodLabel"]) };
  assert.equal(concerns({ resource: "Pod", actions: ["Update"] }, event), true);
  assert.equal(concerns({ resource: "AssignedPod", actions: ["UpdatePodLabel"] }, event), true);
  assert.equal(concerns({ resource: "UnscheduledPod", actions: ["UpdatePodLabel"] }, event), false);
  assert.equal(concerns({ resource: "Pod", actions: ["Delete"] }, event), false);
  assert.equal(concerns({ resource: "*", actions: [] }, event), true);
});

test("names of events in metrics", () => {
  const label = (
    resource: "Node" | "AssignedPod",
    action: "Add" | "UpdateNodeAllocatable" | "UpdatePodLabel" | "Delete",
  ) => eventLabel({ resource, actions: new Set([action]) });
  assert.deepEqual(
    [
      label("Node", "Add"),
      label("Node", "UpdateNodeAllocatable"),
      label("AssignedPod", "UpdatePodLabel"),
      label("AssignedPod", "Delete"),
    ],
    ["NodeAdd", "NodeAllocatableChange", "AssignedPodUpdate", "AssignedPodDelete"],
  );
  assert.equal(eventLabel({ resource: "Other", kind: "CSINode", actions: new Set(["Add"]) }), "CSINodeAdd");
});
