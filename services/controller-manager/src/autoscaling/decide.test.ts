import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Pod } from "../rim/pods.js";
import type { Condition } from "../rim/status.js";
import { type Decision, decide } from "./decide.js";
import type { Reading } from "./evaluate.js";
import { limit, type Memory, nothingRemembered } from "./limits.js";
import type { PodMetric } from "./proposal.js";
import type { Behavior, MetricSpec } from "./types.js";

const now = Date.parse("2025-01-01T12:00:00Z");
const minute = 60_000;
const options = {
  ...{ tolerance: 0.1, cpuInitializationMs: 5 * minute, initialReadinessMs: 30_000 },
  ...{ downWindowMs: 5 * minute, now },
};
const at = (ms: number): string => new Date(ms).toISOString();

/** A pod that has been ready for an hour and requests a core; what differs is given. */
function pod(name: string, { phase = "Running", ready = "True", startedAgo = 60 * minute, going = false } = {}): Pod {
  const lastTransitionTime = at(now - startedAgo + 1000);
  return {
    metadata: { name, labels: { app: "web" }, ...(going ? { deletionTimestamp: at(now) } : {}) },
    spec: { containers: [{ name: "c", resources: { requests: { cpu: "1" } } }] },
    status: {
      phase,
      startTime: at(now - startedAgo),
      conditions: [{ type: "Ready", status: ready, lastTransitionTime }],
    },
  };
}

const uses = (milli: number): PodMetric => ({ milli, at: now, windowMs: 30_000 });
const cpu = (percent: number): MetricSpec => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: percent } },
});
const podsOf = (count: number): readonly Pod[] => Array.from({ length: count }, (_, i) => pod(`p${i}`));
const reading = (usage: Readonly<Record<string, number>>): Reading => ({
  type: "pods",
  metrics: new Map(Object.entries(usage).map(([name, milli]) => [name, uses(milli)])),
});
const allUse = (count: number, milli: number): Reading =>
  reading(Object.fromEntries(podsOf(count).map((_, i) => [`p${i}`, milli])));

interface Case {
  readonly metrics?: readonly MetricSpec[];
  readonly readings: readonly Reading[];
  readonly pods?: readonly Pod[];
  readonly current?: number;
  readonly min?: number;
  readonly max?: number;
  readonly behavior?: Behavior;
  readonly memory?: Memory;
}

function decided({ metrics = [cpu(60)], readings, memory = nothingRemembered, behavior, ...of }: Case): Decision {
  const { pods = podsOf(4), min = 1, max = 100 } = of;
  const { current = pods.length } = of;
  const spec = { minReplicas: min, maxReplicas: max, metrics, ...(behavior === undefined ? {} : { behavior }) };
  const autoscaler = { metadata: { name: "web", namespace: "n", generation: 3 }, spec };
  const scale = { specReplicas: current, statusReplicas: current };
  return decide({ autoscaler, scale, pods, readings, memory }, options);
}

const wanted = (of: Case): number => decided(of).status.desiredReplicas ?? -1;
function condition(decision: Decision, type: string): string {
  const found: Condition | undefined = decision.status.conditions?.find((each) => each.type === type);
  return `${found?.status} ${found?.reason}: ${found?.message}`;
}

test("a value beyond reason asks for as many as there may be, and is told as far as its field goes", () => {
  const most = decided({ readings: [allUse(4, 9.3e21)], max: 6 });
  assert.equal(most.status.desiredReplicas, 6);
  assert.match(JSON.stringify(most.status.currentMetrics), /"averageUtilization":2147483647/);
  const least = decided({ readings: [allUse(4, -9.3e21)], min: 2 });
  assert.equal(least.status.desiredReplicas, 2);
  assert.match(JSON.stringify(least.status.currentMetrics), /"averageUtilization":-2147483648/);
});

test("as many pods as the ratio of use and target asks for", () => {
  const six = podsOf(6);
  const held = { ...nothingRemembered, recommendations: [{ replicas: 6, at: now - minute }] };
  const rows: readonly (readonly [what: string, of: Case, replicas: number])[] = [
    ["90 % of 60 %, 4 ready", { readings: [allUse(4, 900)] }, 6],
    ["65 % of 60 % is near enough", { readings: [allUse(4, 650)] }, 4],
    ["20 % of 60 %, 6 pods", { pods: six, readings: [allUse(6, 200)] }, 2],
    ["the same while a higher one holds", { pods: six, readings: [allUse(6, 200)], memory: held }, 6],
    ["never above the maximum", { readings: [allUse(4, 900)], max: 5 }, 5],
    ["never below the minimum", { readings: [allUse(4, 1)], min: 3 }, 3],
    ["more than the maximum already", { readings: [allUse(4, 600)], max: 2 }, 2],
    ["fewer than the minimum already", { readings: [allUse(4, 600)], min: 9 }, 9],
    ["scaled to nothing by somebody", { readings: [allUse(4, 900)], current: 0 }, 0],
    ["twice as many at once at most", { readings: [allUse(4, 6000)] }, 8],
    ["four at once at least", { pods: podsOf(1), readings: [allUse(1, 6000)] }, 4],
    ["of two metrics the larger", { metrics: [cpu(60), cpu(90)], readings: [allUse(4, 900), allUse(4, 900)] }, 6],
  ];
  for (const [what, of, replicas] of rows) assert.equal(wanted(of), replicas, what);
});

test("what is not known of pods counts for the side on which nothing happens", () => {
  const [a, b, c] = podsOf(3);
  assert.ok(a && b && c);
  const pending = pod("x", { phase: "Pending", ready: "False" });
  const starting = pod("x", { ready: "False", startedAgo: minute });
  const rows: readonly (readonly [
    what: string,
    pods: readonly Pod[],
    usage: Record<string, number>,
    replicas: number,
  ])[] = [
    ["a missing one is idle before growing", [a, b, c, pod("x")], { p0: 900, p1: 900, p2: 900 }, 5],
    ["a missing one is busy before shrinking", [a, b, c, pod("x")], { p0: 100, p1: 100, p2: 100 }, 3],
    ["a pending one is idle before growing", [a, b, c, pending], { p0: 900, p1: 900, p2: 900 }, 5],
    ["a pending one is left out of shrinking", [a, b, c, pending], { p0: 100, p1: 100, p2: 100 }, 1],
    ["one that starts is idle before growing", [a, b, c, starting], { p0: 900, p1: 900, p2: 900, x: 5000 }, 5],
    ["one that goes is nobody", [a, b, c, pod("x", { going: true })], { p0: 900, p1: 900, p2: 900, x: 5000 }, 5],
    ["what would turn the direction changes nothing", [a, pod("x"), pod("y")], { p0: 700 }, 3],
  ];
  for (const [what, pods, usage, replicas] of rows)
    assert.equal(wanted({ pods, readings: [reading(usage)] }), replicas, what);
});

test("values, and shares of values, of objects and of others", () => {
  const metric = { name: "queue" };
  const value: MetricSpec = { type: "External", external: { metric, target: { type: "Value", value: "30" } } };
  const share: MetricSpec = {
    type: "External",
    external: { metric, target: { type: "AverageValue", averageValue: "30" } },
  };
  const describedObject = { kind: "Service", name: "web" };
  const object: MetricSpec = {
    type: "Object",
    object: { describedObject, metric, target: { type: "Value", value: "30" } },
  };
  const each: MetricSpec = { type: "Pods", pods: { metric, target: { type: "AverageValue", averageValue: "500m" } } };
  const rows: readonly (readonly [what: string, of: Case, replicas: number, current: object])[] = [
    ["twice the value", { metrics: [value], readings: [{ type: "value", milli: 60_000 }] }, 8, { value: "60" }],
    ["a share each", { metrics: [share], readings: [{ type: "value", milli: 200_000 }] }, 7, { averageValue: "50" }],
    ["of an object", { metrics: [object], readings: [{ type: "value", milli: 45_000 }] }, 6, { value: "45" }],
    ["of each pod", { metrics: [each], readings: [allUse(4, 750)] }, 6, { averageValue: "750m" }],
  ];
  for (const [what, of, replicas, current] of rows) {
    const { status } = decided(of);
    assert.equal(status.desiredReplicas, replicas, what);
    const [shown] = status.currentMetrics ?? [];
    assert.deepEqual(
      Object.values(shown ?? {}).flatMap((part) => (part?.current === undefined ? [] : [part.current])),
      [current],
    );
  }
});

test("conditions and events tell why", () => {
  const grown = decided({ readings: [allUse(4, 900)] });
  assert.equal(condition(grown, "AbleToScale"), "True ReadyForNewScale: recommended size matches current size");
  assert.equal(
    condition(grown, "ScalingActive"),
    "True ValidMetricFound: the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)",
  );
  assert.equal(
    condition(grown, "ScalingLimited"),
    "False DesiredWithinRange: the desired count is within the acceptable range",
  );
  assert.deepEqual(grown.rescale, { to: 6, reason: "cpu resource utilization (percentage of request) above target" });
  assert.equal(decided({ readings: [allUse(4, 1)] }).rescale?.reason, "All metrics below target");
  const most = decided({ readings: [allUse(4, 900)], max: 5 });
  assert.equal(
    condition(most, "ScalingLimited"),
    "True TooManyReplicas: the desired replica count is more than the maximum replica count",
  );
  const failed = decided({ readings: [{ type: "failed", why: "unable to get metrics for resource cpu: away" }] });
  assert.equal(failed.rescale, undefined);
  assert.equal(
    condition(failed, "ScalingActive"),
    "False FailedGetResourceMetric: the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: away",
  );
  assert.deepEqual(failed.failed, [
    {
      reason: "FailedGetResourceMetric",
      message: "failed to get cpu utilization: unable to get metrics for resource cpu: away",
    },
    {
      reason: "FailedComputeMetricsReplicas",
      message:
        "invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: failed to get cpu utilization: unable to get metrics for resource cpu: away",
    },
  ]);
  const without = { ...pod("p0"), spec: { containers: [{ name: "c" }] } };
  assert.match(
    decided({ pods: [without], readings: [allUse(1, 900)] }).failed?.[0]?.message ?? "",
    /missing request for cpu in container c of Pod p0$/,
  );
});

test("a metric that failed keeps pods from going, not from coming", () => {
  const failed: Reading = { type: "failed", why: "away" };
  const metrics = [cpu(60), cpu(60)];
  const stays = decided({ metrics, readings: [allUse(4, 100), failed] });
  assert.deepEqual([stays.rescale, stays.failed?.length], [undefined, 2]);
  assert.deepEqual(stays.status.currentMetrics?.at(-1), { type: "" });
  assert.equal(wanted({ metrics, readings: [failed, allUse(4, 900)] }), 6);
});

test("windows, rates and their choice limit how fast it goes", () => {
  const ago = (seconds: number): number => now - seconds * 1000;
  const bounds = { current: 10, min: 1, max: 100, downWindowMs: 300_000, now };
  const policies = [
    { type: "Pods", value: 4, periodSeconds: 60 },
    { type: "Percent", value: 100, periodSeconds: 60 },
  ] as const;
  const remembered = { ...nothingRemembered, ups: [{ change: 3, at: ago(30) }], downs: [{ change: 2, at: ago(30) }] };
  const lower = { ...nothingRemembered, recommendations: [{ replicas: 12, at: ago(20) }] };
  const rows: readonly (readonly [
    what: string,
    proposed: number,
    behavior: Behavior,
    memory: Memory,
    replicas: number,
    reason: string,
  ])[] = [
    ["the largest policy", 50, { scaleUp: { policies } }, nothingRemembered, 20, "ScaleUpLimit"],
    ["the smallest policy", 50, { scaleUp: { policies, selectPolicy: "Min" } }, nothingRemembered, 14, "ScaleUpLimit"],
    ["no growing", 50, { scaleUp: { selectPolicy: "Disabled" } }, nothingRemembered, 10, "ScaleUpLimit"],
    [
      "no shrinking",
      1,
      { scaleDown: { selectPolicy: "Disabled", stabilizationWindowSeconds: 0 } },
      nothingRemembered,
      10,
      "ScaleDownLimit",
    ],
    ["what came lately counts", 50, { scaleUp: { policies, selectPolicy: "Min" } }, remembered, 13, "ScaleUpLimit"],
    [
      "so does what went",
      1,
      { scaleDown: { policies: [policies[0]], stabilizationWindowSeconds: 0 } },
      remembered,
      5,
      "ScaleDownLimit",
    ],
    ["the lowest of the window", 20, { scaleUp: { stabilizationWindowSeconds: 60 } }, lower, 12, "DesiredWithinRange"],
    ["within everything", 12, { scaleUp: { policies } }, nothingRemembered, 12, "DesiredWithinRange"],
  ];
  for (const [what, proposed, behavior, memory, replicas, reason] of rows) {
    const limited = limit(proposed, behavior, memory, bounds);
    assert.deepEqual([limited.replicas, limited.limited.reason], [replicas, reason], what);
  }
  assert.equal(limit(7, {}, nothingRemembered, { ...bounds, current: 3 }).replicas, 7, "3 pods grow to 7 in 15 s");
  assert.equal(limit(8, {}, nothingRemembered, { ...bounds, current: 3 }).replicas, 7, "and to no more");
});

test("whatever is proposed, the outcome is within the bounds and on the proposal's side", () => {
  const count = fc.integer({ min: 1, max: 200 });
  const change = fc.record({ change: count, at: fc.integer({ min: now - 600_000, max: now }) });
  const recommendation = fc.record({ replicas: count, at: fc.integer({ min: now - 600_000, max: now }) });
  const policy = fc.record({
    type: fc.constantFrom("Pods" as const, "Percent" as const),
    value: fc.integer({ min: 1, max: 300 }),
    periodSeconds: fc.integer({ min: 1, max: 1800 }),
  });
  const rules = fc.record(
    {
      stabilizationWindowSeconds: fc.integer({ min: 0, max: 3600 }),
      selectPolicy: fc.constantFrom("Max" as const, "Min" as const, "Disabled" as const),
      policies: fc.array(policy, { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: [] },
  );
  const memories = fc.record({
    recommendations: fc.array(recommendation, { maxLength: 5 }),
    ups: fc.array(change, { maxLength: 3 }),
    downs: fc.array(change, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(count, rules, rules, memories, count, (proposed, scaleUp, scaleDown, memory, current) => {
      const bounds = { current, min: 1, max: 200, downWindowMs: 300_000, now };
      const { replicas } = limit(proposed, { scaleUp, scaleDown }, memory, bounds);
      assert.ok(replicas >= 1 && replicas <= 200);
      const highest = Math.max(proposed, current, ...memory.recommendations.map((each) => each.replicas));
      const lowest = Math.min(proposed, current, ...memory.recommendations.map((each) => each.replicas));
      assert.ok(replicas >= lowest && replicas <= highest, `${replicas} of ${lowest} to ${highest}`);
    }),
  );
});
