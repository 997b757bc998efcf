import assert from "node:assert/strict";
import { test } from "node:test";
import type { SeenNode } from "../seen/node.js";
import type { SeenPod } from "../seen/pod.js";
import { decideCollection, missingNodes } from "./decide-collection.js";

const outOfService = "node.kubernetes.io/out-of-service";
const deletionTimestamp = "2026-01-01T00:00:00Z";
const pod = (name: string, nodeName: string, more: { metadata?: object; status?: object } = {}): SeenPod => ({
  metadata: { name, ...more.metadata },
  spec: { nodeName },
  status: more.status ?? {},
});
const node = (ready: string, taint?: string): SeenNode => ({
  metadata: { name: "n" },
  spec: { taints: taint === undefined ? [] : [{ key: taint, effect: "NoExecute" }] },
  status: { conditions: [{ type: "Ready", status: ready }] },
});
const nodes = new Map([
  ["ready", node("True")],
  ["silent", node("Unknown")],
  ["out", node("Unknown", outOfService)],
  ["back", node("True", outOfService)],
]);
const collected = (pods: readonly SeenPod[], threshold = 0): string =>
  decideCollection({ pods, nodeOf: (name) => nodes.get(name), absent: new Set(["gone"]) }, { threshold, outOfService })
    .map(({ pod: of, reason }) => `${of.metadata.name} ${reason}`)
    .join(", ");

const going = { metadata: { deletionTimestamp } };
const rows: readonly (readonly [what: string, pod: SeenPod, said: string])[] = [
  ["runs", pod("p", "ready"), ""],
  ["is on a node that is gone", pod("p", "gone"), "p orphaned"],
  ["has ended on a node that is gone", pod("p", "gone", { status: { phase: "Failed" } }), "p orphaned"],
  ["goes and has no node", pod("p", "", going), "p unscheduled"],
  ["has no node and stays", pod("p", ""), ""],
  ["goes from a node that is silent", pod("p", "silent", going), ""],
  ["goes from a node that is out of service", pod("p", "out", going), "p out-of-service"],
  ["stays on a node that is out of service", pod("p", "out"), ""],
  ["goes from a node that is ready again", pod("p", "back", going), ""],
];
for (const [what, of, said] of rows) {
  test(`a pod that ${what} is collected: [${said}]`, () => assert.equal(collected([of]), said));
}

test("of pods that have ended the oldest go first, but for those that were evicted", () => {
  const ended = (name: string, day: number, status: object = { phase: "Succeeded" }) =>
    pod(name, "ready", { metadata: { creationTimestamp: `2026-01-0${day}T00:00:00Z` }, status });
  const pods = [
    ended("new", 3),
    ended("old", 1),
    ended("evicted", 4, { phase: "Failed", reason: "Evicted" }),
    pod("runs", "ready"),
  ];
  assert.equal(collected(pods, 1), "evicted terminated, old terminated");
  assert.equal(collected(pods, 3), "");
  assert.equal(collected(pods, 0), "");
});

test("nodes that pods name and that are not there", () => {
  const pods = [pod("a", "ready"), pod("b", "lost"), pod("c", "")];
  assert.deepEqual([...missingNodes(pods, (name) => nodes.get(name))], ["lost"]);
});
