import assert from "node:assert/strict";
import { test } from "node:test";
import type { SeenPod } from "../seen/pod.js";
import { type Budget, type BudgetStatus, decideBudget, type Scale, staleDisruptionAt } from "./decide-budget.js";

const now = Date.parse("2026-01-01T00:10:00Z");
const pod = (name: string, ready = true, owner: string | undefined = "rs", more: object = {}): SeenPod => ({
  metadata: {
    ...{ name, namespace: "ns" },
    ...(owner === undefined
      ? {}
      : { ownerReferences: [{ kind: "ReplicaSet", name: owner, uid: owner, controller: true }] }),
    ...more,
  },
  status: { conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
});
const budget = (spec: object, status: BudgetStatus = {}): Budget => ({
  metadata: { name: "b", namespace: "ns", generation: 2 },
  spec,
  status,
});
const scales = new Map<string, Scale>([["rs", { uid: "d", replicas: 5 }]]);
const decide = (of: Budget, pods: readonly SeenPod[], known: ReadonlyMap<string, Scale> = scales) =>
  decideBudget({ budget: of, pods, scales: known }, now);
const pods = (ready: number, all: number) => Array.from({ length: all }, (_, at) => pod(`p${at}`, at < ready));

const rows: readonly (readonly [spec: object, ready: number, all: number, numbers: string])[] = [
  [{ minAvailable: 3 }, 5, 5, "allowed 2 of 5 healthy, 3 desired, 5 expected"],
  [{ minAvailable: 3 }, 2, 5, "allowed 0 of 2 healthy, 3 desired, 5 expected"],
  [{ minAvailable: 0 }, 2, 2, "allowed 2 of 2 healthy, 0 desired, 2 expected"],
  [{ minAvailable: "50%" }, 5, 5, "allowed 2 of 5 healthy, 3 desired, 5 expected"],
  [{ minAvailable: "100%" }, 5, 5, "allowed 0 of 5 healthy, 5 desired, 5 expected"],
  [{ maxUnavailable: 1 }, 5, 5, "allowed 1 of 5 healthy, 4 desired, 5 expected"],
  [{ maxUnavailable: 1 }, 4, 5, "allowed 0 of 4 healthy, 4 desired, 5 expected"],
  [{ maxUnavailable: "30%" }, 5, 5, "allowed 2 of 5 healthy, 3 desired, 5 expected"],
  [{ maxUnavailable: 9 }, 5, 5, "allowed 5 of 5 healthy, 0 desired, 5 expected"],
  [{ minAvailable: 0 }, 0, 0, "allowed 0 of 0 healthy, 0 desired, 0 expected"],
];
for (const [spec, ready, all, numbers] of rows) {
  test(`a budget of ${JSON.stringify(spec)} with ${ready} of ${all} pods ready: ${numbers}`, () => {
    const { status } = decide(budget(spec), pods(ready, all));
    const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods, conditions } = status;
    const text = `allowed ${disruptionsAllowed} of ${currentHealthy} healthy, ${desiredHealthy} desired, ${expectedPods} expected`;
    assert.equal(text, numbers);
    const reason = disruptionsAllowed === 0 ? "InsufficientPods" : "SufficientPods";
    assert.deepEqual([conditions?.[0]?.reason, status.observedGeneration], [reason, 2]);
  });
}

test("a pod whose eviction was let through is not counted for two minutes", () => {
  const at = "2026-01-01T00:09:00Z";
  const { status, againAt } = decide(budget({ minAvailable: 1 }, { disruptedPods: { p0: at, gone: at } }), pods(3, 3));
  assert.deepEqual([status.currentHealthy, status.disruptedPods], [2, { p0: at }]);
  assert.equal(againAt, Date.parse("2026-01-01T00:11:00Z"));
});

test("one that was not evicted in that time is counted again, and told of", () => {
  const disruptedPods = { p0: "2026-01-01T00:01:00Z" };
  const { status, events } = decide(budget({ minAvailable: 1 }, { disruptedPods }), pods(3, 3));
  assert.deepEqual([status.currentHealthy, status.disruptedPods], [3, undefined]);
  assert.equal(events[0]?.reason, "NotDeleted");
});

test("a pod that goes is not healthy", () => {
  const going = pod("p", true, "rs", { deletionTimestamp: "2026-01-01T00:00:00Z" });
  assert.equal(decide(budget({ minAvailable: 0 }), [going]).status.currentHealthy, 0);
});

test("pods without a controller are told of, and count for nothing in a part of all", () => {
  const { status, events } = decide(budget({ maxUnavailable: 1 }), [pod("p", true, "")]);
  assert.deepEqual(
    events.map(({ reason }) => reason),
    ["CalculateExpectedPodCountFailed"],
  );
  assert.equal(status.disruptionsAllowed, 0);
  const alone: SeenPod = { metadata: { name: "alone" }, status: {} };
  assert.deepEqual(
    decide(budget({ maxUnavailable: 1 }), [alone]).events.map(({ reason }) => reason),
    ["UnmanagedPods"],
  );
});

test("what nobody can count is not disrupted", () => {
  const unknown = new Map<string, Scale>([["rs", "jobs.batch does not implement the scale subresource"]]);
  const { status } = decide(budget({ maxUnavailable: 1 }), pods(3, 3), unknown);
  assert.equal(status.disruptionsAllowed, 0);
  assert.deepEqual(
    [status.conditions?.[0]?.reason, status.conditions?.[0]?.message],
    ["SyncFailed", unknown.get("rs")],
  );
});

test("a pod that says it is about to go and does not is believed for two minutes", () => {
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const conditions = [{ type: "DisruptionTarget", status: "True", lastTransitionTime }];
  const at = Date.parse(lastTransitionTime) + 120_000;
  assert.equal(staleDisruptionAt({ metadata: {}, status: { conditions } }), at);
  assert.equal(staleDisruptionAt({ metadata: {}, status: { conditions, phase: "Failed" } }), undefined);
  assert.equal(staleDisruptionAt({ metadata: { deletionTimestamp: "x" }, status: { conditions } }), undefined);
});
