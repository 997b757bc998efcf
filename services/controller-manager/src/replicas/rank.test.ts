import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "../rim/pods.js";
import { rankForDeletion } from "./rank.js";

const now = Date.UTC(2026, 0, 2);
const ago = (ms: number): string => new Date(now - ms).toISOString();
const costKey = "cost";
const minute = 60_000;

interface Facts {
  readonly node?: string;
  readonly phase?: string;
  /** Milliseconds. */
  readonly readyFor?: number;
  readonly cost?: string;
  readonly restarts?: number;
  readonly age?: number;
}

function pod(name: string, { node, phase = "Running", readyFor, cost, restarts = 0, age = 86_400_000 }: Facts): Pod {
  const conditions =
    readyFor === undefined ? [] : [{ type: "Ready", status: "True", lastTransitionTime: ago(readyFor) }];
  return {
    metadata: {
      ...{ name, uid: name, creationTimestamp: ago(age) },
      ...(cost === undefined ? {} : { annotations: { [costKey]: cost } }),
    },
    spec: node === undefined ? {} : { nodeName: node },
    status: { phase, conditions, containerStatuses: [{ restartCount: restarts }] },
  };
}

/** Deleted before the other. */
const rows: readonly (readonly [why: string, first: Facts, then: Facts])[] = [
  ["one without a node", {}, { node: "n", phase: "Pending" }],
  ["one that is pending", { node: "n", phase: "Pending" }, { node: "n", phase: "Unknown" }],
  ["one of which nothing is known", { node: "n", phase: "Unknown" }, { node: "n" }],
  ["one that is not ready", { node: "n" }, { node: "n", readyFor: 1 }],
  ["one that costs less", { node: "n", readyFor: 9, cost: "-5" }, { node: "n", readyFor: 9 }],
  [
    "a cost that is no number costs nothing",
    { node: "n", readyFor: 9, cost: "+9" },
    { node: "n", readyFor: 9, cost: "1" },
  ],
  ["one with more siblings on its node", { node: "crowded", readyFor: 540 * minute }, { node: "n", readyFor: minute }],
  ["one that is ready for a shorter time", { node: "n", readyFor: minute }, { node: "n", readyFor: 540 * minute }],
  [
    "one that was restarted more often",
    { node: "n", readyFor: 9, restarts: 2 },
    { node: "n", readyFor: 9, restarts: 1 },
  ],
  ["one that is younger", { node: "n", readyFor: 9, age: minute }, { node: "n", readyFor: 9 }],
];
for (const [why, first, then] of rows) {
  test(`deleted first: ${why}`, () => {
    const siblingsOnNode = (node: string): number => (node === "crowded" ? 3 : 1);
    // The names are against it: they decide last.
    const pods = [pod("a", then), pod("b", first)];
    const order = rankForDeletion(pods, { costKey, siblingsOnNode, now });
    assert.deepEqual(
      order.map(({ metadata }) => metadata.name),
      ["b", "a"],
    );
  });
}

test("all rules together", () => {
  const pods = [
    pod("f", { node: "n", readyFor: 540 * minute }),
    pod("e", { node: "n", readyFor: minute }),
    pod("d", { node: "n", readyFor: minute, cost: "-5" }),
    pod("c", { node: "n" }),
    pod("b", { node: "n", phase: "Pending" }),
    pod("a", {}),
  ];
  const order = rankForDeletion(pods, { costKey, siblingsOnNode: () => 1, now });
  assert.deepEqual(order.map(({ metadata }) => metadata.name).join(""), "abcdef");
});
