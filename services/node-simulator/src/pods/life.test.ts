import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiObject } from "@orch/client/objects.js";
import fc from "fast-check";
import { type Stage, usualStages } from "../stages/stage.js";
import { after, backOffMs, type Life, lifeOf, nextStep, progressOf } from "./life.js";
import { podView } from "./pod-view.js";
import { isReady, statusOf } from "./status.js";

const names = { runFor: "sim/run-for", exitCode: "sim/exit-code", execExitCode: "sim/exec-exit-code" };
const rules = { stages: usualStages(500), longestGraceMs: 2_000 };
const t0 = Date.parse("2026-01-01T00:00:00Z");

interface Given {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
}

const pod = ({ metadata = {}, spec = {}, status = {} }: Given = {}): ApiObject => ({
  metadata: { name: "p", namespace: "ns", uid: "u", ...metadata },
  spec: {
    nodeName: "n",
    containers: [
      { name: "c", image: "i" },
      { name: "d", image: "j" },
    ],
    ...spec,
  },
  status,
});
const view = (given?: Given) => podView(pod(given), names);
const all: Stage = {
  ...{ name: "s", at: "Ready", to: "Unready", afterMs: 3_000, jitterMs: 0, exitCode: 0 },
  selector: { namespaces: [], ownerKinds: [], matchLabels: {} },
};

test("a pod that is bound starts after the delay, is ready then, and stays so", () => {
  const waiting = lifeOf(view(), t0);
  assert.deepEqual(nextStep(view(), waiting, rules), { dueMs: t0 + 500, to: "Running", exitCode: 0 });
  const running = after(view(), waiting, { dueMs: 0, to: "Running", exitCode: 0 }, t0 + 500);
  assert.deepEqual(nextStep(view(), running, rules), { dueMs: t0 + 500, to: "Ready", exitCode: 0 });
  const ready = after(view(), running, { dueMs: 0, to: "Ready", exitCode: 0 }, t0 + 500);
  assert.equal(nextStep(view(), ready, rules), undefined);
});

test("its annotations say how long it runs and how it ends", () => {
  const annotations = { "sim/run-for": "2s", "sim/exit-code": "7" };
  const short = view({ metadata: { annotations } });
  const ready: Life = { point: "Ready", sinceMs: t0 + 100, restarts: 0, startedMs: t0 };
  const step = nextStep(short, ready, rules);
  assert.deepEqual(step, { dueMs: t0 + 2_000, to: "Ended", exitCode: 7 });
});

for (const [restartPolicy, exitCode, point] of [
  ["Always", 0, "BackOff"],
  ["Always", 1, "BackOff"],
  ["OnFailure", 0, "Ended"],
  ["OnFailure", 1, "BackOff"],
  ["Never", 1, "Ended"],
] as const) {
  test(`containers that end with ${exitCode} under ${restartPolicy}: ${point}`, () => {
    const ready: Life = { point: "Ready", sinceMs: t0, restarts: 2, startedMs: t0 };
    const ended = after(view({ spec: { restartPolicy } }), ready, { dueMs: t0, to: "Ended", exitCode }, t0);
    assert.deepEqual([ended.point, ended.restarts], [point, point === "BackOff" ? 3 : 2]);
  });
}

test("restarts wait 10 s, twice as long each time, 5 min at most", () => {
  assert.deepEqual([1, 2, 3, 5, 6, 60].map(backOffMs), [10_000, 20_000, 40_000, 160_000, 300_000, 300_000]);
});

test("a pod that is deleted goes after its grace, at most as long as is allowed; one that has ended goes at once", () => {
  const deletionTimestamp = new Date(t0 + 30_000).toISOString();
  const leaving = (grace: number) => view({ metadata: { deletionTimestamp, deletionGracePeriodSeconds: grace } });
  const ready: Life = { point: "Ready", sinceMs: t0 - 9_000, restarts: 0, startedMs: t0 };
  assert.deepEqual(nextStep(leaving(30), ready, rules), { dueMs: t0 + 2_000, to: "Deleted", exitCode: 0 });
  assert.equal(nextStep(leaving(1), ready, rules)?.dueMs, t0 + 30_000);
  assert.equal(nextStep(leaving(30), { ...ready, point: "Ended" }, rules)?.dueMs, t0);
});

test("the first stage that fits counts; what does not fit is passed over", () => {
  const other = { ...all, selector: { ...all.selector, ownerKinds: ["Job"] }, to: "Ended" as const };
  const ready: Life = { point: "Ready", sinceMs: t0, restarts: 0, startedMs: t0 };
  const staged = { ...rules, stages: [other, all, ...rules.stages] };
  assert.equal(nextStep(view(), ready, staged)?.to, "Unready");
  const ownerReferences = [{ kind: "Job", controller: true }];
  assert.equal(nextStep(view({ metadata: { ownerReferences } }), ready, staged)?.to, "Ended");
});

test("jitter differs from pod to pod, and is the same for the same one", () => {
  const stages = [{ ...all, jitterMs: 1_000 }];
  const due = (uid: string): number =>
    nextStep(
      view({ metadata: { uid } }),
      { point: "Ready", sinceMs: t0, restarts: 0, startedMs: t0 },
      { ...rules, stages },
    )?.dueMs ?? 0;
  fc.assert(
    fc.property(fc.uuid(), (uid) => {
      assert.equal(due(uid), due(uid));
      assert.ok(due(uid) >= t0 + 3_000 && due(uid) < t0 + 4_000);
    }),
  );
  assert.ok(new Set(Array.from({ length: 20 }, (_, i) => due(`uid-${i}`))).size > 10);
});

test("whoever takes a pod over goes on where it stands", () => {
  const points = ["Running", "Ready", "BackOff", "Ended"] as const;
  for (const point of points) {
    const life: Life = { point, sinceMs: t0 + 4_000, restarts: point === "BackOff" ? 2 : 0, startedMs: t0 + 1_000 };
    const exitCode = point === "Ended" || point === "BackOff" ? 1 : 0;
    const parts = { podIp: "10.0.0.2", hostIp: "10.128.0.1", nowMs: t0 + 4_000, exitCode };
    const status = statusOf(view(), life, parts);
    const taken = lifeOf(view({ status }), t0 + 60_000);
    assert.deepEqual([taken.point, taken.restarts], [point, life.restarts]);
    if (point !== "Ended") assert.equal(taken.sinceMs, point === "Running" ? t0 + 1_000 : t0 + 4_000, point);
  }
});

test("a pod is ready once its containers are and its gates are open", () => {
  const spec = { readinessGates: [{ conditionType: "open" }] };
  const life: Life = { point: "Ready", sinceMs: t0, restarts: 0, startedMs: t0 };
  const shut = view({ spec });
  assert.equal(isReady(shut, life), false);
  const open = view({ spec, status: { conditions: [{ type: "open", status: "True" }] } });
  assert.equal(isReady(open, life), true);
  const parts = { podIp: "", hostIp: "h", nowMs: t0, exitCode: 0 };
  const conditionsOf = (of: typeof shut) =>
    new Map(Object(statusOf(of, life, parts)["conditions"]).map((each: { type: string }) => [each.type, each]));
  assert.deepEqual(conditionsOf(shut).get("Ready"), {
    ...{ type: "Ready", status: "False", lastProbeTime: null, lastTransitionTime: "2026-01-01T00:00:00Z" },
    reason: "ReadinessGatesNotReady",
    message: "corresponding condition of pod readiness gate is not true",
  });
});

test("times of conditions change with the conditions only", () => {
  const life: Life = { point: "Ready", sinceMs: t0, restarts: 0, startedMs: t0 };
  const parts = { podIp: "", hostIp: "h", nowMs: t0, exitCode: 0 };
  const first = statusOf(view(), life, parts);
  const second = statusOf(view({ status: first }), life, { ...parts, nowMs: t0 + 60_000 });
  assert.deepEqual(second["conditions"], first["conditions"]);
});

test("whatever a pod holds is looked at without fault", () => {
  const anything = fc.record({
    metadata: fc.dictionary(fc.constantFrom("name", "labels2", "deletionTimestamp", "ownerReferences"), fc.jsonValue()),
    spec: fc.jsonValue(),
    status: fc.jsonValue(),
  });
  fc.assert(
    fc.property(anything, ({ spec, status }) => {
      const odd = podView({ metadata: { name: "p" }, spec, status }, names);
      nextStep(odd, lifeOf(odd, t0), rules);
    }),
  );
});

test("steps that are due are told in one report; a circle that takes no time does not go on for ever", () => {
  const { life, taken, next } = progressOf(view(), lifeOf(view(), t0), { ...rules, stages: usualStages(0) }, t0);
  assert.deepEqual([life.point, taken.map(({ to }) => to), next], ["Ready", ["Running", "Ready"], undefined]);
  const circle = [
    { ...all, afterMs: 0 },
    { ...all, at: "Unready" as const, to: "Ready" as const, afterMs: 0 },
  ];
  assert.equal(progressOf(view(), { ...life, point: "Ready" }, { ...rules, stages: circle }, t0).taken.length, 3);
});
