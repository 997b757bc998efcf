import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import type { Pod } from "../rim/pods.js";
import { decide, isFinished } from "./decide.js";
import { indexesOf, indexText, missingIndexes, withIndexes } from "./index-set.js";
import { jobKeys } from "./job-controller.js";
import { jobPod } from "./job-pod.js";
import { backoffMs } from "./pods.js";
import type { Job, JobSpec, JobStatus } from "./types.js";

const now = Date.UTC(2026, 0, 2);
const keys = jobKeys(createNaming("kubernetes"));
const ago = (ms: number): string => new Date(now - ms).toISOString();
const one: JobSpec = { parallelism: 1, completions: 1, backoffLimit: 6 };
const job = (spec: JobSpec = {}, status: JobStatus = { startTime: ago(1000) }, metadata = {}, base = one): Job => ({
  metadata: { name: "j", namespace: "ns", uid: "u", generation: 1, ...metadata },
  spec: { ...base, ...spec },
  status,
});

interface Facts {
  readonly phase?: string;
  readonly index?: number;
  readonly failures?: number;
  readonly code?: number;
  readonly container?: string;
  readonly condition?: string;
  readonly restarts?: number;
  readonly endedAgo?: number;
  readonly isReleased?: boolean;
  readonly isGoing?: boolean;
}
function pod(uid: string, facts: Facts = {}): Pod {
  const {
    phase = "Running",
    index,
    failures,
    code,
    container = "c",
    condition,
    restarts = 0,
    endedAgo = 3_600_000,
  } = facts;
  const terminated =
    phase === "Succeeded" || phase === "Failed" ? { exitCode: code ?? 1, finishedAt: ago(endedAgo) } : undefined;
  return {
    metadata: {
      ...{ name: uid, namespace: "ns", uid },
      finalizers: facts.isReleased === true ? [] : [keys.finalizer],
      ...(facts.isGoing === true ? { deletionTimestamp: ago(0) } : {}),
      annotations: {
        ...(index === undefined ? {} : { [keys.index]: String(index) }),
        ...(failures === undefined ? {} : { [keys.failureCount]: String(failures) }),
      },
    },
    spec: { nodeName: "n" },
    status: {
      phase,
      conditions: condition === undefined ? [] : [{ type: condition, status: "True" }],
      containerStatuses: [
        { name: container, restartCount: restarts, ...(terminated === undefined ? {} : { state: { terminated } }) },
      ],
    },
  };
}
const planOf = (given: Job, pods: readonly Pod[], isShown = true) => decide({ job: given, pods, keys, isShown }, now);
const told = (given: Job, pods: readonly Pod[], isShown = true) => {
  const { create, remove } = planOf(given, pods, isShown);
  return [
    ...create.map(({ index }) => (index === undefined ? "+" : `+${index}`)),
    ...remove.map(({ metadata }) => `-${metadata.name}`),
  ].join(" ");
};
const reasonOf = (given: Job, pods: readonly Pod[]) => {
  const conditions = planOf(given, pods).status.conditions ?? [];
  return conditions.map(({ type, reason, message }) => `${type} ${reason}: ${message}`).join("; ");
};
const two = [pod("a"), pod("b")];
const indexed: JobSpec = { completionMode: "Indexed", completions: 4, parallelism: 2 };

describe("how many pods a job has", () => {
  const rows: readonly (readonly [what: string, got: string, expected: string])[] = [
    ["as many at once as it may", told(job({ parallelism: 2, completions: 5 }), []), "+ +"],
    [
      "no more than are missing",
      told(job({ parallelism: 5, completions: 3 }, { succeeded: 2, startTime: ago(9) }), []),
      "+",
    ],
    ["without completions as many as it may", told(job({ parallelism: 2 }, {}, {}, {}), []), "+ +"],
    [
      "without completions none after the first success",
      told(job({ parallelism: 3 }, { succeeded: 1, startTime: ago(9) }, {}, {}), [pod("a")]),
      "",
    ],
    ["fewer when it may have fewer", told(job({ parallelism: 1, completions: 5 }), two), "-a"],
    ["none while it is suspended", told(job({ suspend: true }), two), "-a -b"],
    ["none once it is deleted", told(job({}, {}, { deletionTimestamp: ago(0) }), []), ""],
    ["nothing while what it did is not shown", told(job(), [], false), ""],
    ["the lowest indexes that are missing", told(job(indexed), [pod("a", { index: 0 })]), "+1"],
    [
      "none that is completed",
      told(job(indexed, { completedIndexes: "0-1", succeeded: 2, startTime: ago(9) }), []),
      "+2 +3",
    ],
    ["one for each index", told(job(indexed), [pod("a", { index: 0 }), pod("b", { index: 0 })]), "-b"],
    ["none without an index", told(job(indexed), [pod("a"), pod("b", { index: 0 })]), "-a"],
    ["a new one beside one that goes", told(job(), [pod("a", { isGoing: true, isReleased: true })]), "+"],
    [
      "none beside one that goes where that must fail first",
      told(job({ podReplacementPolicy: "Failed" }), [pod("a", { isGoing: true })]),
      "",
    ],
    ["none for a while after a failure", told(job(), [pod("a", { phase: "Failed", endedAgo: 9_000 })]), ""],
    ["one after that while", told(job(), [pod("a", { phase: "Failed", endedAgo: 10_000 })]), "+"],
  ];
  for (const [what, got, expected] of rows) test(what, () => assert.equal(got, expected));
});

test("failures in a row are waited after for 10 s, doubled up to 10 min", () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 7, 8].map((n) => backoffMs(n) / 1000),
    [10, 20, 40, 80, 160, 320, 600, 600],
  );
  assert.equal(planOf(job(), [pod("a", { phase: "Failed", endedAgo: 4_000 })]).againAfterMs, 6_000);
});

describe("each pod that has ended is counted once", () => {
  const open = { completions: 5, parallelism: 1 };
  test("it is stored as uncounted, and its finalizer goes after", () => {
    const { status, release } = planOf(job(open), [pod("a", { phase: "Succeeded" }), pod("b", { phase: "Failed" })]);
    assert.deepEqual(status.uncountedTerminatedPods, { succeeded: ["a"], failed: ["b"] });
    assert.deepEqual([status.succeeded, status.failed], [undefined, undefined]);
    assert.deepEqual(
      release.map(({ metadata }) => metadata.uid),
      ["a", "b"],
    );
  });
  const uncountedTerminatedPods = { succeeded: ["a"], failed: ["b"] };
  test("it is not counted while it has the finalizer still", () => {
    const pods = [pod("a", { phase: "Succeeded" }), pod("b", { phase: "Failed", isReleased: true })];
    const { status, release } = planOf(job(open, { startTime: ago(9), uncountedTerminatedPods }), pods);
    assert.deepEqual(status.uncountedTerminatedPods, { succeeded: ["a"] });
    assert.deepEqual([status.succeeded, status.failed], [undefined, 1]);
    assert.deepEqual(
      release.map(({ metadata }) => metadata.uid),
      ["a"],
    );
  });
  test("one that is gone is counted, and one without a finalizer that is not listed was", () => {
    const { status } = planOf(job(open, { startTime: ago(9), succeeded: 2, uncountedTerminatedPods }), [
      pod("c", { phase: "Succeeded", isReleased: true }),
    ]);
    assert.deepEqual([status.succeeded, status.failed, status.uncountedTerminatedPods], [3, 1, {}]);
  });
  test("what goes without having ended is a failure, unless it was given up", () => {
    assert.deepEqual(planOf(job(open), [pod("a", { isGoing: true })]).status.uncountedTerminatedPods, {
      failed: ["a"],
    });
    const { remove, forgets } = planOf(job({ ...open, suspend: true }), [pod("a")]);
    assert.deepEqual([remove.length, forgets], [1, true]);
  });
});

test("a job ends once all is counted and nothing of it is left", () => {
  const won = { startTime: ago(9), uncountedTerminatedPods: { succeeded: ["a"] } };
  const first = planOf(job({}, won), [pod("a", { phase: "Succeeded" })]).status;
  assert.deepEqual(
    (first.conditions ?? []).map(({ type }) => type),
    ["SuccessCriteriaMet"],
  );
  const going = planOf(job({}, first), [pod("a", { isReleased: true, isGoing: true })]).status;
  assert.equal(isFinished({ metadata: {}, status: going }), false);
  const { status, news } = planOf(job({}, first), [pod("a", { phase: "Succeeded", isReleased: true })]);
  assert.deepEqual(
    (status.conditions ?? []).map(({ type, reason }) => `${type} ${reason}`),
    [...["SuccessCriteriaMet CompletionsReached", "Complete CompletionsReached"]],
  );
  assert.deepEqual([status.succeeded, status.completionTime, status.active], [1, "2026-01-02T00:00:00Z", undefined]);
  assert.deepEqual(
    news.map(({ type }) => type),
    ["Complete"],
  );
});

describe("a job fails", () => {
  const failed = (count: number, more: JobStatus = {}): JobStatus => ({
    startTime: ago(600_000),
    failed: count,
    ...more,
  });
  const limit = "FailureTarget BackoffLimitExceeded: Job has reached the specified backoff limit";
  const policy = (
    onExitCodes: object | undefined,
    onPodConditions?: readonly object[],
    action = "FailJob",
  ): JobSpec => ({
    podFailurePolicy: {
      rules: [
        { action: "Count", onExitCodes: { operator: "In", values: [99] } },
        {
          action,
          ...(onExitCodes === undefined ? {} : { onExitCodes }),
          ...(onPodConditions === undefined ? {} : { onPodConditions }),
        },
      ],
    },
  });
  const lost = (facts: Facts): readonly Pod[] => [pod("a", { phase: "Failed", ...facts })];
  const rows: readonly (readonly [what: string, got: string, expected: string])[] = [
    ["not at its limit", reasonOf(job({ backoffLimit: 2 }, failed(2)), []), ""],
    ["beyond its limit", reasonOf(job({ backoffLimit: 2 }, failed(3)), [pod("a")]), limit],
    [
      "by restarts on nodes",
      reasonOf(job({ backoffLimit: 2, template: { spec: { restartPolicy: "OnFailure" } } }), [
        pod("a", { restarts: 2 }),
      ]),
      limit,
    ],
    [
      "by restarts of containers that begin first",
      reasonOf(job({ backoffLimit: 2, template: { spec: { restartPolicy: "OnFailure" } } }), [
        { ...pod("a"), status: { phase: "Pending", initContainerStatuses: [{ name: "i", restartCount: 2 }] } },
      ]),
      limit,
    ],
    [
      "after its deadline",
      reasonOf(job({ activeDeadlineSeconds: 600 }, failed(0)), two),
      "FailureTarget DeadlineExceeded: Job was active longer than specified deadline",
    ],
    [
      "by an exit code",
      reasonOf(job(policy({ operator: "In", values: [42] })), lost({ code: 42 })),
      "FailureTarget PodFailurePolicy: Container c for pod ns/a failed with exit code 42 matching FailJob rule at index 1",
    ],
    ["not before a deadline of ages", reasonOf(job({ activeDeadlineSeconds: 9_000_000_000_000_000_000n }), two), ""],
    ["not by another code", reasonOf(job(policy({ operator: "In", values: [42] })), lost({ code: 41 })), ""],
    [
      "not by another container",
      reasonOf(job(policy({ operator: "NotIn", values: [1], containerName: "d" })), lost({ code: 2 })),
      "",
    ],
    [
      "by a condition",
      reasonOf(job(policy(undefined, [{ type: "ConfigIssue" }])), lost({ condition: "ConfigIssue" })),
      "FailureTarget PodFailurePolicy: Pod ns/a has condition ConfigIssue matching FailJob rule at index 1",
    ],
    [
      "by too many indexes",
      reasonOf(job({ ...indexed, backoffLimitPerIndex: 0, maxFailedIndexes: 1 }), [
        ...[0, 1].map((index) => pod(`p${index}`, { phase: "Failed", index, failures: 0 })),
      ]),
      "FailureTarget MaxFailedIndexesExceeded: Job has exceeded the specified maximal number of failed indexes",
    ],
    [
      "once every index has ended and one has failed",
      reasonOf(job({ ...indexed, backoffLimitPerIndex: 0 }, { completedIndexes: "0-2", startTime: ago(9) }), [
        pod("p3", { phase: "Failed", index: 3 }),
      ]),
      "FailureTarget FailedIndexes: Job has failed indexes",
    ],
  ];
  for (const [what, got, expected] of rows) test(what, () => assert.equal(got, expected));

  test("failures that a rule ignores do not count", () => {
    const spec = policy({ operator: "In", values: [42] }, undefined, "Ignore");
    const { status, release } = planOf(job(spec), lost({ code: 42 }));
    assert.deepEqual([status.uncountedTerminatedPods, release.length], [{}, 1]);
  });
  test("its pods go first", () => {
    const { status, remove, forgets } = planOf(job({ backoffLimit: 0 }, failed(1)), [pod("a")]);
    assert.deepEqual([remove.length, forgets, isFinished({ metadata: {}, status })], [1, false, false]);
    const end = planOf(job({ backoffLimit: 0 }, status), []).status.conditions ?? [];
    assert.deepEqual(
      end.map(({ type }) => type),
      ["FailureTarget", "Failed"],
    );
  });
});

test("an index is tried as often as it may, each time after its own delay", () => {
  const spec = { ...indexed, backoffLimitPerIndex: 1 };
  const first = pod("p0", { phase: "Failed", index: 0, failures: 0, endedAgo: 4_000 });
  const plan = planOf(job(spec), [first]);
  assert.deepEqual([plan.create.map(({ index }) => index), plan.againAfterMs], [[1, 2], 6_000]);
  const later = planOf(job(spec), [pod("p0", { phase: "Failed", index: 0, failures: 0, endedAgo: 10_000 })]);
  assert.deepEqual(later.create[0], { index: 0, failures: { counted: 1, ignored: 0, retryAt: now } });
  const spent = planOf(job(spec), [pod("p0", { phase: "Failed", index: 0, failures: 1 })]);
  assert.deepEqual([spent.create.map(({ index }) => index), spent.status.failedIndexes], [[1, 2], "0"]);
});

test("a success policy ends a job before all of its indexes have", () => {
  const spec = { ...indexed, successPolicy: { rules: [{ succeededIndexes: "1-3", succeededCount: 2 }] } };
  const met = planOf(job(spec, { completedIndexes: "0,2,3", startTime: ago(9) }), [pod("a", { index: 1 })]);
  assert.deepEqual(met.remove.length, 1);
  assert.equal(met.status.conditions?.[0]?.reason, "SuccessPolicy");
  assert.equal(planOf(job(spec, { completedIndexes: "0,2", startTime: ago(9) }), []).status.conditions, undefined);
});

test("a suspended job says so, forgets when it began, and begins anew when it is resumed", () => {
  const { status } = planOf(job({ suspend: true }), []);
  assert.deepEqual(status.startTime, undefined);
  assert.deepEqual(
    status.conditions?.map(({ type, status: is, reason }) => [type, is, reason]),
    [["Suspended", "True", "JobSuspended"]],
  );
  const resumed = planOf(job({}, status), []);
  assert.equal(resumed.status.startTime, "2026-01-02T00:00:00Z");
  assert.deepEqual(
    resumed.news.map(({ type, status: is, message }) => [type, is, message]),
    [["Suspended", "False", "Job resumed"]],
  );
});

test("sets of indexes are written with ranges of three or more", () => {
  assert.equal(indexText(withIndexes([], [0, 1, 2, 4, 7, 8])), "0-2,4,7,8");
  assert.equal(indexText(withIndexes(indexesOf("0-2,5", 9), [4, 3])), "0-5");
  assert.deepEqual(missingIndexes(indexesOf("0-2,5", 9), 7, 9), [3, 4, 6]);
  assert.deepEqual(missingIndexes(indexesOf("0-2,5", 9), 7, 1), [3]);
});

test("a pod of an index carries it, and tells its containers", () => {
  const template = {
    spec: { containers: [{ name: "c" }, { name: "d", env: [{ name: "JOB_COMPLETION_INDEX", value: "x" }] }] },
  };
  const made = jobPod(job({ template }), { index: 3, failures: { counted: 2, ignored: 0, retryAt: 0 } }, keys);
  assert.equal(made.metadata.generateName, "j-3-");
  assert.deepEqual(made.metadata.annotations, { [keys.index]: "3", [keys.failureCount]: "2" });
  assert.deepEqual([made.metadata.labels, made.metadata.finalizers], [{ [keys.index]: "3" }, [keys.finalizer]]);
  const fieldRef = { fieldPath: `metadata.labels['${keys.index}']` };
  assert.deepEqual(made.spec, {
    hostname: "j-3",
    containers: [
      { name: "c", env: [{ name: "JOB_COMPLETION_INDEX", valueFrom: { fieldRef } }] },
      template.spec.containers[1],
    ],
  });
});
