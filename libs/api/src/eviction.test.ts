import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@orch/status/api-error.js";
import {
  budgetIsBusy,
  decideEviction,
  type EvictedPod,
  type EvictionDecision,
  evictionOptions,
  withDisruptionTarget,
} from "./eviction.js";
import type { PodDisruptionBudget } from "./kinds/policy/types.js";

const now = "2026-01-02T03:04:05Z";
const before = "2026-01-01T00:00:00Z";
const labels = { app: "x" };
const ready = [{ type: "Ready", status: "True" }];
const podOf = (status: EvictedPod["status"], more: object = {}): EvictedPod => ({
  metadata: { name: "p", labels, ...more },
  status: { phase: "Running", conditions: ready, ...status },
});
const budgetOf = (status: PodDisruptionBudget["status"], spec: PodDisruptionBudget["spec"] = {}) => ({
  metadata: { name: "b", generation: 2 },
  spec: { selector: { matchLabels: labels }, ...spec },
  status: { observedGeneration: 2, ...status },
});
const full = budgetOf({ disruptionsAllowed: 0, desiredHealthy: 3, currentHealthy: 2 });
const other = { ...full, spec: { selector: { matchLabels: { app: "y" } } } };
const unready = podOf({ conditions: [] });
const decided = (pod: EvictedPod, ...budgets: readonly PodDisruptionBudget[]): EvictionDecision =>
  decideEviction({ pod, budgets, now });

const deleted: readonly (readonly [string, EvictedPod, readonly PodDisruptionBudget[], boolean, string | undefined])[] =
  [
    ["without a budget", podOf({}), [], false, undefined],
    ["beside budgets of others", podOf({}), [other, { metadata: { name: "none" } }], false, undefined],
    ["that has succeeded", podOf({ phase: "Succeeded" }), [full], false, undefined],
    ["that has failed", podOf({ phase: "Failed" }), [full, full], false, undefined],
    ["that is going", podOf({}, { deletionTimestamp: now }), [full], false, undefined],
    ["that has not begun", podOf({ phase: "Pending" }), [full], true, undefined],
    [
      "that is not ready, where all others are",
      unready,
      [budgetOf({ desiredHealthy: 2, currentHealthy: 2 })],
      true,
      "b",
    ],
    [
      "that is not ready, as the budget lets",
      unready,
      [budgetOf({ desiredHealthy: 3 }, { unhealthyPodEvictionPolicy: "AlwaysAllow" })],
      true,
      "b",
    ],
  ];

for (const [what, pod, budgets, unchanged, budget] of deleted) {
  test(`a pod ${what} is deleted`, () => {
    assert.deepEqual(decided(pod, ...budgets), { do: "delete", unchanged, budget });
  });
}

const violation = "Cannot evict pod as it would violate the pod's disruption budget.";
const needs = "The disruption budget b needs 3 healthy pods and has 2 currently";
const busy = "The disruption budget b is still being processed by the server.";
const forbidden = 'poddisruptionbudget.policy "b" is forbidden:';
const refused: readonly (readonly [string, EvictedPod, readonly PodDisruptionBudget[], object])[] = [
  ["that is needed", podOf({}), [full, other], { code: 429, message: violation, cause: needs }],
  ["that is not ready and would be needed", unready, [full], { code: 429, message: violation, cause: needs }],
  [
    "that is not ready where none need be",
    unready,
    [budgetOf({ desiredHealthy: 0, currentHealthy: 0 })],
    {
      code: 429,
      message: violation,
      cause: "The disruption budget b needs 0 healthy pods and has 0 currently",
    },
  ],
  [
    "of a budget that changed",
    podOf({}),
    [budgetOf({ observedGeneration: 1, disruptionsAllowed: 1 })],
    { code: 429, message: violation, cause: busy, retryAfterSeconds: 10 },
  ],
  [
    "of two budgets",
    podOf({}),
    [full, full],
    {
      code: 500,
      message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    },
  ],
  [
    "of a budget below 0",
    podOf({}),
    [budgetOf({ disruptionsAllowed: -1 })],
    { code: 403, message: `${forbidden} pdb disruptions allowed is negative` },
  ],
  [
    "of a budget that nobody looks after",
    podOf({}),
    [
      budgetOf({
        disruptionsAllowed: 1,
        disruptedPods: Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`p${i}`, now])),
      }),
    ],
    {
      code: 403,
      message: `${forbidden} DisruptedPods map too big - too many evictions not confirmed by PDB controller`,
    },
  ],
];

function shown({ code, message, details }: ApiError): object {
  const [cause] = details?.causes ?? [];
  if (cause !== undefined) assert.equal(cause.reason, "DisruptionBudget");
  return {
    code,
    message,
    ...(cause === undefined ? {} : { cause: cause.message }),
    ...(details?.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: details.retryAfterSeconds }),
  };
}

for (const [what, pod, budgets, wanted] of refused) {
  test(`a pod ${what} stays`, () => {
    const decision = decided(pod, ...budgets);
    assert.ok(decision.do === "refuse");
    assert.deepEqual(shown(decision.error), wanted);
  });
}

test("a conflict with a changed pod is a budget that is busy", () => {
  assert.deepEqual(shown(budgetIsBusy("b")), { code: 429, message: violation, cause: busy, retryAfterSeconds: 10 });
});

test("a budget counts down", () => {
  const budget = budgetOf({ disruptionsAllowed: 2, disruptedPods: { q: before } });
  assert.deepEqual(decided(podOf({}), budget), {
    do: "countDown",
    budget: {
      ...budget,
      status: { observedGeneration: 2, disruptionsAllowed: 1, disruptedPods: { q: before, p: now } },
    },
  });
});

test("a budget that is used up says so", () => {
  const allowed = { type: "DisruptionAllowed", status: "True", reason: "SufficientPods", lastTransitionTime: before };
  const exhausted = {
    type: "DisruptionAllowed",
    status: "False",
    reason: "InsufficientPods",
    message: "",
    observedGeneration: 2,
  };
  for (const [conditions, time] of [
    [[], now],
    [[allowed], now],
    [[{ ...exhausted, lastTransitionTime: before }], before],
  ] as const) {
    const decision = decided(podOf({}), budgetOf({ disruptionsAllowed: 1, conditions }));
    assert.ok(decision.do === "countDown");
    assert.deepEqual(decision.budget.status?.conditions, [{ ...exhausted, lastTransitionTime: time }]);
  }
});

test("a pod that is evicted says why it ends", () => {
  assert.deepEqual(withDisruptionTarget(podOf({}), now).status?.conditions, [
    ...ready,
    {
      type: "DisruptionTarget",
      status: "True",
      reason: "EvictionByEvictionAPI",
      message: "Eviction API: evicting",
      lastTransitionTime: now,
    },
  ]);
});

test("an eviction has options of a deletion", () => {
  const eviction = { metadata: { name: "p" }, deleteOptions: { preconditions: { uid: "u" } } };
  assert.deepEqual(evictionOptions("p", eviction, []), eviction.deleteOptions);
  assert.deepEqual(evictionOptions("p", eviction, ["All"]), { ...eviction.deleteOptions, dryRun: ["All"] });
  const tried = { metadata: { name: "p" }, deleteOptions: { dryRun: ["All"] } };
  assert.deepEqual(evictionOptions("p", tried, []), { dryRun: ["All"] });
});

for (const [what, eviction, code] of [
  ["of another pod", { metadata: { name: "q" } }, 400],
  [
    "at any price",
    { metadata: { name: "p" }, deleteOptions: { ignoreStoreReadErrorWithClusterBreakingPotential: true } },
    422,
  ],
] as const) {
  test(`an eviction ${what} is refused`, () => {
    assert.throws(
      () => evictionOptions("p", eviction, []),
      (error) => error instanceof ApiError && error.code === code,
    );
  });
}
