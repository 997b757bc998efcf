import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "../rim/pods.js";
import { lookAgainInMs, planReplicas, replicaStatus } from "./decide.js";
import type { ReplicaSet } from "./types.js";

const now = Date.UTC(2026, 0, 2);
const pod = (phase: string, readyForMs?: number, more: object = {}): Pod => ({
  metadata: { labels: { app: "web" }, ...more },
  status: {
    phase,
    ...(readyForMs === undefined
      ? {}
      : {
          conditions: [{ type: "Ready", status: "True", lastTransitionTime: new Date(now - readyForMs).toISOString() }],
        }),
  },
});
const set = (replicas: number, more: object = {}, metadata: object = {}): ReplicaSet => ({
  metadata: { name: "web", generation: 2, ...metadata },
  spec: { replicas, template: { metadata: { labels: { app: "web" } } }, ...more },
});
const going = { deletionTimestamp: "2026-01-01T00:00:00Z" };

const plans: readonly (readonly [string, ReplicaSet, readonly Pod[], create: number, remove: number])[] = [
  ["makes what is missing", set(3), [pod("Running")], 2, 0],
  ["deletes what is too much", set(1), [pod("Running"), pod("Pending"), pod("Running")], 0, 2],
  ["does nothing where the number is right", set(1), [pod("Running")], 0, 0],
  ["does not count what has ended", set(1), [pod("Failed"), pod("Succeeded")], 1, 0],
  ["does not count what goes", set(1), [pod("Running", undefined, going)], 1, 0],
  ["does nothing once it goes itself", set(3, {}, going), [], 0, 0],
  ["makes 500 in one go at most", set(2000), [], 500, 0],
];
for (const [what, given, pods, create, remove] of plans) {
  test(`a set ${what}`, () => {
    const plan = planReplicas(given, pods);
    assert.deepEqual([plan.create, plan.remove], [create, remove]);
  });
}

test("a status counts pods that run, have the template's labels, are ready, and are available", () => {
  const pods = [pod("Pending"), pod("Running", 5_000), pod("Running", 20_000, { labels: {} }), pod("Failed")];
  assert.deepEqual(replicaStatus(set(3, { minReadySeconds: 10 }), pods, { failed: undefined, now }), {
    ...{ replicas: 3, fullyLabeledReplicas: 2, readyReplicas: 2, availableReplicas: 1, observedGeneration: 2 },
  });
  assert.equal(lookAgainInMs(set(3, { minReadySeconds: 10 }), pods, now), 5_000);
});

test("what failed stands in a condition until it works", () => {
  const failed = { reason: "FailedCreate", message: "no" } as const;
  const status = replicaStatus(set(1), [], { failed, now });
  assert.deepEqual(status.conditions, [
    { type: "ReplicaFailure", status: "True", ...failed, lastTransitionTime: "2026-01-02T00:00:00Z" },
  ]);
  const later = { failed: { ...failed, message: "another pod was refused" }, now: now + 5_000 };
  assert.deepEqual(replicaStatus({ ...set(1), status }, [], later).conditions, status.conditions);
  assert.equal(replicaStatus({ ...set(1), status }, [], { failed: undefined, now }).conditions, undefined);
});
