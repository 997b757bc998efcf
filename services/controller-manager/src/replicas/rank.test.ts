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
  /** Of a second container. */
  readonly moreRestarts?: number;
  readonly sidecarRestarts?: number;
  /** Of an init container that ends. */
  readonly initRestarts?: number;
  readonly age?: number;
}

function pod(name: string, facts: Facts): Pod {
  const { node, phase = "Running", readyFor, cost, restarts = 0, age = 86_400_000 } = facts;
  const { moreRestarts = 0, sidecarRestarts = 0, initRestarts = 0 } = facts;
  const conditions =
    readyFor === undefined ? [] : [{ type: "Ready", status: "True", lastTransitionTime: ago(readyFor) }];
  return {
    metadata: {
      ...{ name, uid: name, creationTimestamp: ago(age) },
      ...(cost === undefined ? {} : { annotations: { [costKey]: cost } }),
    },
    spec: {
      ...(node === undefined ? {} : { nodeName: node }),
      initContainers: [{ name: "sidecar", restartPolicy: "Always" }, { name: "init" }],
    },
    status: {
      ...{ phase, conditions },
      containerStatuses: [{ restartCount: restarts }, { restartCount: moreRestarts }],
      initContainerStatuses: [
        { name: "sidecar", restartCount: sidecarRestarts },
        { name: "init", restartCount: initRestarts },
      ],
    },
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
  [
    "one with a container that was restarted more often than any of the other's",
    { node: "n", readyFor: 9, restarts: 3 },
    { node: "n", readyFor: 9, restarts: 2, moreRestarts: 2 },
  ],
  [
    "one whose sidecar was restarted more often",
    { node: "n", readyFor: 9, restarts: 1, sidecarRestarts: 2 },
    { node: "n", readyFor: 9, restarts: 1, initRestarts: 5 },
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

test("pods that are ready for about as long go by their uids, whatever weighs less", () => {
  const order = (first: Facts, then: Facts): string =>
    rankForDeletion([pod("b", first), pod("a", then)], { costKey, siblingsOnNode: () => 1, now })
      .map(({ metadata }) => metadata.name)
      .join("");
  const node = { node: "n" };
  // 60 s and 68 s are of one power of two nanoseconds, 100 s is of the next.
  assert.equal(order({ ...node, readyFor: 60_000, restarts: 9 }, { ...node, readyFor: 68_000 }), "ab");
  assert.equal(order({ ...node, readyFor: 60_000 }, { ...node, readyFor: 100_000 }), "ba");
  assert.equal(order({ ...node, readyFor: 60_000, restarts: 9 }, { ...node, readyFor: 60_000 }), "ba");
});

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
