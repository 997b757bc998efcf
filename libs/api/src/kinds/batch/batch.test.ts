import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../../catalog.js";
import { type AnyObject, valueAt } from "../../object.js";
import { expectErrors, type Wanted } from "../../testing/error-rows.js";
import { createKindKit, type Tree } from "../../testing/kind-kit.js";
import { selectableFields, validatePart } from "../../writes.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes"), { release: "1.24" }));
const j = "batch/v1.Job";
const cj = "batch/v1.CronJob";
const metadata = { name: "x", uid: "u1" };
const pod = { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" };
const template = { spec: pod };
const jobOf = (spec: Tree): Tree => ({ metadata, spec: { template, ...spec } });
const podsOf = (more: Tree): Tree => jobOf({ template: { spec: { ...pod, ...more } } });
const indexed = (spec: Tree): Tree => jobOf({ completionMode: "Indexed", completions: 3, ...spec });
const failureOf = (...rules: readonly Tree[]): Tree => jobOf({ podFailurePolicy: { rules } });
const successOf = (...rules: readonly Tree[]): Tree => indexed({ successPolicy: { rules } });
const cronOf = (spec: Tree): Tree => ({
  spec: { schedule: "* * * * *", jobTemplate: { spec: { template } }, ...spec },
});
const many = <T>(n: number, item: (i: number) => T): readonly T[] => Array.from({ length: n }, (_, i) => item(i));
const negative = (field: string): string => `${field}: Invalid value: -1: must be greater than or equal to 0`;

const creates: readonly (readonly [string, string, Tree, readonly Wanted[]])[] = [
  [j, "good", jobOf({}), []],
  [
    j,
    "empty",
    { metadata },
    [
      "spec.template.spec.containers: Required value",
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
  ],
  [
    j,
    "with negative numbers",
    jobOf({
      parallelism: -1,
      completions: -1,
      activeDeadlineSeconds: -1,
      backoffLimit: -1,
      ttlSecondsAfterFinished: -1,
    }),
    [
      negative("spec.parallelism"),
      negative("spec.completions"),
      negative("spec.activeDeadlineSeconds"),
      negative("spec.backoffLimit"),
      negative("spec.ttlSecondsAfterFinished"),
    ],
  ],
  [
    j,
    "with indexes and without",
    jobOf({ backoffLimitPerIndex: -1, maxFailedIndexes: -1, successPolicy: { rules: [] } }),
    [
      negative("spec.backoffLimitPerIndex"),
      negative("spec.maxFailedIndexes"),
      "spec.backoffLimitPerIndex: Invalid value: -1: requires indexed completion mode",
      "spec.maxFailedIndexes: Invalid value: -1: requires indexed completion mode",
      "spec.successPolicy: Invalid value: {}: requires indexed completion mode",
    ],
  ],
  [
    j,
    "of an unknown mode",
    jobOf({ completionMode: "X" }),
    ['spec.completionMode: Unsupported value: "X": supported values: "NonIndexed", "Indexed"'],
  ],
  [
    j,
    "indexed without number",
    jobOf({ completionMode: "Indexed", parallelism: 1 }),
    ["spec.completions: Required value: when completion mode is Indexed"],
  ],
  [
    j,
    "indexed and too wide",
    indexed({ parallelism: 100_001, maxFailedIndexes: 4 }),
    [
      "spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified",
      "spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed",
      "spec.maxFailedIndexes: Invalid value: 4: must be less than or equal to completions",
    ],
  ],
  [
    j,
    "of very many indexes",
    indexed({ completions: 100_001, parallelism: 10_001, backoffLimitPerIndex: 1 }),
    [
      "spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index",
      "spec.maxFailedIndexes: Required value: must be specified when completions is above 100000",
    ],
  ],
  [
    j,
    "with a long name for its pods",
    { ...indexed({}), metadata: { name: "a".repeat(62), uid: "u1" } },
    [/^metadata.name: .*will not able to create pod with invalid DNS label: a{62}-2$/],
  ],
  [j, "managed elsewhere", jobOf({ managedBy: "example.com/manager" }), []],
  [
    j,
    "managed by nobody",
    jobOf({ managedBy: "me" }),
    ['spec.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")'],
  ],
  [
    j,
    "managed by a long name",
    jobOf({ managedBy: `example.com/${"a".repeat(60)}` }),
    ["spec.managedBy: Too long: may not be more than 63 bytes"],
  ],
  [j, "that restarts", podsOf({ restartPolicy: "Always" }), [/restartPolicy: Required value: valid values/]],
  [
    j,
    "replaced in an unknown way",
    jobOf({ podReplacementPolicy: "X" }),
    ['spec.podReplacementPolicy: Unsupported value: "X": supported values: "Failed", "TerminatingOrFailed"'],
  ],
  [
    j,
    "replaced early with a policy",
    jobOf({ podReplacementPolicy: "TerminatingOrFailed", podFailurePolicy: { rules: [] } }),
    ['spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"'],
  ],
  [
    j,
    "with a policy that restarts",
    jobOf({ podFailurePolicy: { rules: [] }, template: { spec: { ...pod, restartPolicy: "OnFailure" } } }),
    [/restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified$/],
  ],
  [
    j,
    "with good policies",
    failureOf(
      { action: "FailJob", onExitCodes: { containerName: "c", operator: "In", values: [1, 42] } },
      { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] },
    ),
    [],
  ],
  [
    j,
    "with empty rules",
    failureOf({}, { action: "X", onExitCodes: {} }),
    [
      'spec.podFailurePolicy.rules[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
      'spec.podFailurePolicy.rules[1].action: Unsupported value: "X": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
      'spec.podFailurePolicy.rules[1].onExitCodes.operator: Required value: valid values: ["In" "NotIn"]',
      "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
      "spec.podFailurePolicy.rules[1].onExitCodes.values: Invalid value: []: at least one value is required",
    ],
  ],
  [
    j,
    "with wrong codes and conditions",
    failureOf({
      action: "FailIndex",
      onExitCodes: { containerName: "d", operator: "In", values: [3, 0, 3] },
      onPodConditions: [
        { type: "", status: "" },
        { type: "A", status: "X" },
      ],
    }),
    [
      "spec.podFailurePolicy.rules[0].onExitCodes.values[2]: Duplicate value: 3",
      'spec.podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
      /containerName: Invalid value: "d": must be one of the container or initContainer names in the pod template$/,
      "spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator",
      "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [3,0,3]: must be ordered",
      /onPodConditions\[0\].type: Invalid value: "": name part must be non-empty$/,
      /onPodConditions\[0\].type: Invalid value: "": name part must consist/,
      /onPodConditions\[1\].status: Unsupported value: "X": supported values: "False", "True", "Unknown"$/,
      "spec.podFailurePolicy.rules[0]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported",
    ],
  ],
  [
    j,
    "with many rules",
    failureOf(...many(21, () => ({ action: "Count", onPodConditions: [{ type: "A" }] }))),
    ["spec.podFailurePolicy.rules: Too many: 21: must have at most 20 items"],
  ],
  [j, "that succeeds early", successOf({ succeededIndexes: "0,2", succeededCount: 1 }), []],
  [
    j,
    "that succeeds by no rule",
    successOf(),
    [
      "spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is specified",
    ],
  ],
  [
    j,
    "that succeeds by wrong rules",
    successOf({}, { succeededIndexes: "2-1" }, { succeededIndexes: "0-1", succeededCount: 4 }, { succeededCount: -1 }),
    [
      "spec.successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified",
      'spec.successPolicy.rules[1].succeededIndexes: Invalid value: "2-1": error parsing succeededIndexes: non-increasing order, previous: 2, current: 1',
      "spec.successPolicy.rules[2].succeededCount: Invalid value: 4: must be less than or equal to 3 (the number of specified completions)",
      "spec.successPolicy.rules[2].succeededCount: Invalid value: 4: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)",
      negative("spec.successPolicy.rules[3].succeededCount"),
    ],
  ],
  [
    j,
    "that selects by hand",
    jobOf({
      manualSelector: true,
      selector: { matchLabels: { a: "b" } },
      template: { ...template, metadata: { labels: { a: "b" } } },
    }),
    [],
  ],
  [
    j,
    "that selects nothing by hand",
    jobOf({ manualSelector: true }),
    ["spec.selector: Required value", /labels: Invalid value: null: `selector` does not match template `labels`$/],
  ],
  [
    j,
    "with labels of another",
    jobOf({ template: { ...template, metadata: { labels: { "controller-uid": "u2" } } } }),
    [/^spec.template.metadata.labels\[controller-uid\]: Invalid value: .*: must be 'u1'$/],
  ],
  [
    j,
    "with a selector of its own that cannot be read",
    jobOf({ selector: { matchExpressions: [{ key: "a", operator: "X" }] } }),
    ['spec.selector.matchExpressions[0].operator: Invalid value: "X": not a valid selector operator'],
  ],
  [
    j,
    "with a selector of another",
    jobOf({ selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "u2" } } }),
    [
      /^spec.template.metadata.labels: .*`selector` does not match template `labels`$/,
      /^spec.selector: .*`selector` not auto-generated$/,
    ],
  ],
  [cj, "good", cronOf({ timeZone: "Europe/Berlin" }), []],
  [
    cj,
    "empty",
    {},
    [
      "spec.schedule: Required value",
      "spec.jobTemplate.spec.template.spec.containers: Required value",
      'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
  ],
  [
    cj,
    "with a wrong schedule",
    cronOf({ schedule: "* * * *" }),
    ['spec.schedule: Invalid value: "* * * *": expected exactly 5 fields, found 4: [* * * *]'],
  ],
  [
    cj,
    "with a zone in its schedule",
    cronOf({ schedule: "TZ=UTC * * * * *" }),
    [/^spec.schedule: .*cannot use TZ or CRON_TZ in schedule, use timeZone field instead$/],
  ],
  [
    cj,
    "in no zone",
    cronOf({ timeZone: "" }),
    ['spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'],
  ],
  [cj, "elsewhere", cronOf({ timeZone: "Mars/../Base" }), [/unknown time zone Mars\/..\/Base$/]],
  [cj, "on Mars", cronOf({ timeZone: "Mars/Base" }), [/unknown time zone Mars\/Base$/]],
  [cj, "where it stands", cronOf({ timeZone: "Local" }), [/must be an explicit time zone as defined in/]],
  [
    cj,
    "with negative numbers",
    cronOf({ startingDeadlineSeconds: -1, successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -1 }),
    [
      negative("spec.startingDeadlineSeconds"),
      negative("spec.successfulJobsHistoryLimit"),
      negative("spec.failedJobsHistoryLimit"),
    ],
  ],
  [
    cj,
    "of an unknown policy",
    cronOf({ concurrencyPolicy: "X" }),
    ['spec.concurrencyPolicy: Unsupported value: "X": supported values: "Allow", "Forbid", "Replace"'],
  ],
  [
    cj,
    "whose jobs select by hand",
    cronOf({ jobTemplate: { spec: { template, manualSelector: true, selector: {}, parallelism: -1 } } }),
    [
      negative("spec.jobTemplate.spec.parallelism"),
      "spec.jobTemplate.spec.selector: Invalid value: {}: `selector` will be auto-generated",
      'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
    ],
  ],
  [
    cj,
    "with a long name",
    { metadata: { name: "a".repeat(53) }, ...cronOf({}) },
    [/^metadata.name: .*must be no more than 52 characters$/],
  ],
];

for (const [kind, what, tree, wanted] of creates) {
  expectErrors(`a new ${kind} ${what}`, wanted, () => kit.createErrors(kind, tree));
}

/** What a PUT sends: what was read, changed. */
function changed(tree: Tree, change: Tree): Tree {
  const { spec } = kit.created(j, tree) as AnyObject & { readonly spec: Tree };
  return { metadata, spec: { ...spec, ...change } };
}
const readTemplate = (tree: Tree, more: Tree): Tree => {
  const read = valueAt(kit.created(j, tree), "spec.template") as { readonly metadata: Tree; readonly spec: Tree };
  return { ...read, spec: { ...read.spec, ...more } };
};

const frozen = (name: string): RegExp => new RegExp(`^spec.${name}: Invalid value: .*: field is immutable$`);
const suspended = jobOf({ suspend: true });
const updates: readonly (readonly [string, Tree, Tree, readonly Wanted[]])[] = [
  ["that is the same", changed(jobOf({}), {}), jobOf({}), []],
  ["of other width", changed(jobOf({}), { parallelism: 5, suspend: true, backoffLimit: 1 }), jobOf({}), []],
  ["of more completions", changed(jobOf({}), { completions: 5 }), jobOf({}), [frozen("completions")]],
  [
    "of another mode",
    changed(jobOf({}), { completionMode: "Indexed", completions: 1 }),
    jobOf({}),
    [frozen("completionMode")],
  ],
  [
    "of more indexes than width",
    changed(indexed({}), { completions: 5 }),
    indexed({}),
    ["spec.completions: Invalid value: 5: can only be modified in tandem with spec.parallelism"],
  ],
  ["of as many indexes as width", changed(indexed({}), { completions: 5, parallelism: 5 }), indexed({}), []],
  [
    "of another manager, limit and policies",
    changed(indexed({}), {
      managedBy: "a.b/c",
      backoffLimitPerIndex: 1,
      podFailurePolicy: { rules: [{ action: "Count", onPodConditions: [{ type: "A", status: "True" }] }] },
      podReplacementPolicy: "Failed",
      successPolicy: { rules: [{ succeededCount: 1 }] },
    }),
    indexed({}),
    [frozen("podFailurePolicy"), frozen("backoffLimitPerIndex"), frozen("managedBy"), frozen("successPolicy")],
  ],
  [
    "of another place",
    changed(jobOf({}), { template: readTemplate(jobOf({}), { nodeSelector: { a: "b" } }) }),
    jobOf({}),
    [frozen("template")],
  ],
  [
    "of another place while it waits",
    changed(suspended, {
      template: readTemplate(suspended, {
        nodeSelector: { a: "b" },
        tolerations: [{ key: "a", operator: "Exists" }],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }],
            },
          },
        },
      }),
    }),
    suspended,
    [],
  ],
  [
    "of other work while it waits",
    changed(suspended, { template: readTemplate(suspended, { containers: [{ name: "c", image: "j" }] }) }),
    suspended,
    [frozen("template")],
  ],
];

for (const [what, tree, before, wanted] of updates) {
  expectErrors(`a state of a Job ${what}`, wanted, () => kit.updateErrors(j, tree, before));
}

test("a Job that has begun stays where it is, suspended or not", () => {
  const old: AnyObject = { ...kit.created(j, suspended), status: { startTime: "2026-01-01T00:00:00Z" } };
  const tree = changed(suspended, { template: readTemplate(suspended, { nodeSelector: { a: "b" } }) });
  const { behavior } = kit.kind(j);
  assert.equal(behavior.validateUpdate?.(kit.updated(j, tree, old), old, "v1").length, 1);
});

test("a Job from before the product's labels needs only the old ones", () => {
  const spec = {
    selector: { matchLabels: { "controller-uid": "u1" } },
    template: { ...template, metadata: { labels: { "controller-uid": "u1", "job-name": "x" } } },
  };
  const old: AnyObject = kit.defaulted(j, { metadata, spec });
  assert.deepEqual(kit.kind(j).behavior.validateUpdate?.(old, old, "v1"), []);
});

test("a zone in a schedule may stay where it stood, alone", () => {
  const { validateUpdate } = kit.kind(cj).behavior;
  const old = kit.created(cj, cronOf({ schedule: "TZ=UTC * * * * *" }));
  assert.deepEqual(validateUpdate?.(kit.created(cj, cronOf({ schedule: "TZ=UTC 1 * * * *" })), old, "v1"), []);
  const both = kit.created(cj, cronOf({ schedule: "TZ=UTC 1 * * * *", timeZone: "UTC" }));
  assert.match(validateUpdate?.(both, old, "v1")[0]?.message ?? "", /cannot use both timeZone field and TZ or CRON_TZ/);
});

test("a zone that is no longer known does not stand in the way", () => {
  const before = kit.created(cj, cronOf({ timeZone: "Mars/Base" }));
  assert.deepEqual(kit.kind(cj).behavior.validateUpdate?.(before, before, "v1"), []);
});

const conditionsOf = (...types: readonly string[]): Tree => ({
  conditions: types.map((type) => ({ type, status: "True" })),
});
const start = "2026-01-01T00:00:00Z";
const end = "2026-01-01T01:00:00Z";
const done = { ...conditionsOf("Complete", "SuccessCriteriaMet"), startTime: start, completionTime: end };
const broken = { ...conditionsOf("Failed", "FailureTarget"), startTime: start };
const at = "status.conditions: Invalid value:";

const statuses: readonly (readonly [string, Tree, Tree, Tree, readonly Wanted[]])[] = [
  ["running", {}, {}, { active: 2, ready: 1, startTime: start }, []],
  ["complete", {}, {}, { ...done, succeeded: 1 }, []],
  ["failed", {}, {}, { ...broken, failed: 1 }, []],
  [
    "below 0",
    {},
    {},
    { active: -1, succeeded: -1, failed: -1, terminating: -1 },
    [
      negative("status.active"),
      negative("status.succeeded"),
      negative("status.failed"),
      negative("status.terminating"),
      "status.failed: Invalid value: -1: cannot decrease the failed counter",
      "status.succeeded: Invalid value: -1: cannot decrease the succeeded counter",
    ],
  ],
  [
    "with uids twice",
    {},
    {},
    { uncountedTerminatedPods: { succeeded: ["a", ""], failed: ["a"] } },
    [
      'status.uncountedTerminatedPods.succeeded[1]: Invalid value: "": must not be empty',
      'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
    ],
  ],
  [
    "complete and failed",
    {},
    {},
    { ...done, ...conditionsOf("Complete", "Failed", "FailureTarget", "SuccessCriteriaMet") },
    [
      `${at} cannot set Complete=True and Failed=true conditions`,
      `${at} cannot set Complete=True and FailureTarget=true conditions`,
      `${at} cannot set SuccessCriteriaMet=True and Failed=true conditions`,
      `${at} cannot set SuccessCriteriaMet=True and FailureTarget=true conditions`,
    ],
  ],
  [
    "complete without its times and reason",
    {},
    {},
    conditionsOf("Complete"),
    [
      "status.completionTime: Required value: completionTime is required for Complete jobs",
      `${at} cannot set Complete=True condition without the SuccessCriteriaMet=true condition`,
      "status.startTime: Required value: startTime is required for finished job",
    ],
  ],
  [
    "failed without its reason",
    {},
    {},
    { ...conditionsOf("Failed"), startTime: start },
    [`${at} cannot set Failed=True condition without the FailureTarget=true condition`],
  ],
  [
    "that ends before it begins, and has not ended",
    {},
    {},
    { startTime: end, completionTime: start },
    [
      /^status.completionTime: .*cannot set completionTime when there is no Complete=True condition$/,
      /^status.completionTime: .*completionTime cannot be set before startTime$/,
    ],
  ],
  [
    "complete with pods left",
    {},
    {},
    { ...done, active: 1, terminating: 1, uncountedTerminatedPods: { failed: ["a"] } },
    [
      "status.active: Invalid value: 1: active>0 is invalid for finished job",
      /^status.uncountedTerminatedPods: .*uncountedTerminatedPods needs to be empty for finished job$/,
      "status.terminating: Invalid value: 1: terminating>0 is invalid for finished job",
    ],
  ],
  [
    "with indexes of none",
    {},
    {},
    { completedIndexes: "0", failedIndexes: "" },
    [
      /^status.completedIndexes: .*cannot set non-empty completedIndexes when non-indexed completion mode$/,
      /^status.failedIndexes: .*cannot set non-null failedIndexes when backoffLimitPerIndex is null$/,
    ],
  ],
  [
    "with wrong indexes",
    { completionMode: "Indexed", completions: 3, backoffLimitPerIndex: 1 },
    {},
    { completedIndexes: "7", failedIndexes: "x" },
    [
      'status.completedIndexes: Invalid value: "7": error parsing completedIndexes: too large index: "7"',
      /^status.failedIndexes: .*error parsing failedIndexes: cannot convert string to integer/,
    ],
  ],
  [
    "with indexes that succeed and fail",
    { completionMode: "Indexed", completions: 9, backoffLimitPerIndex: 1 },
    {},
    { completedIndexes: "0-3", failedIndexes: "2,5" },
    [/^status.failedIndexes: .*failedIndexes and completedIndexes overlap at index: 2$/],
  ],
  [
    "with more ready than active",
    {},
    {},
    { ready: 1 },
    ["status.ready: Invalid value: 1: cannot set more ready pods than active"],
  ],
  [
    "complete against its policy",
    { completionMode: "Indexed", completions: 3, successPolicy: { rules: [{ succeededCount: 1 }] } },
    {},
    { ...done, ...conditionsOf("Complete") },
    [
      `${at} cannot set Complete=True condition without the SuccessCriteriaMet=true condition`,
      `${at} cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True`,
    ],
  ],
  [
    "that failed no more",
    {},
    { ...broken, failed: 2 },
    { startTime: start, failed: 1 },
    [
      `${at} cannot disable the terminal Failed=True condition`,
      `${at} cannot disable the terminal FailureTarget=True condition`,
      "status.failed: Invalid value: 1: cannot decrease the failed counter",
    ],
  ],
  [
    "that is complete no more",
    {},
    { ...done, succeeded: 2 },
    { startTime: start, succeeded: 1 },
    [
      `${at} cannot disable the terminal Complete=True condition`,
      "status.succeeded: Invalid value: 1: cannot decrease the succeeded counter",
      `${at} cannot disable the SuccessCriteriaMet=True condition`,
    ],
  ],
  [
    "that ended at another time",
    {},
    done,
    { ...done, completionTime: "2026-01-01T02:00:00Z" },
    [/^status.completionTime: .*completionTime cannot be mutated$/],
  ],
  [
    "that began at another time",
    {},
    { startTime: start },
    { startTime: end },
    ["status.startTime: Required value: startTime cannot be removed for unsuspended job"],
  ],
  ["that begins anew", { suspend: true }, { startTime: start }, {}, []],
  ["that was wrong before", {}, conditionsOf("Complete"), { ...conditionsOf("Complete"), failed: 1 }, []],
];

for (const [what, spec, before, status, wanted] of statuses) {
  expectErrors(`a status of a Job ${what}`, wanted, () => {
    const old: AnyObject = { ...kit.created(j, jobOf(spec)), status: before };
    const write = { name: "status", object: { ...old, status }, old };
    return validatePart(kit.kind(j), write).map((e) => `${e.field}: ${e.message}`);
  });
}

const uid = "batch.kubernetes.io/controller-uid";
const generated = { [uid]: "u1", "controller-uid": "u1", "batch.kubernetes.io/job-name": "x", "job-name": "x" };
const values: readonly (readonly [string, string, Tree, string, unknown])[] = [
  [j, "has one completion", jobOf({}), "spec.completions", 1],
  [j, "of some width has none", jobOf({ parallelism: 2 }), "spec.completions", undefined],
  [j, "is of width 1", jobOf({ completions: 4 }), "spec.parallelism", 1],
  [j, "fails six times", jobOf({}), "spec.backoffLimit", 6],
  [j, "fails by index", indexed({ backoffLimitPerIndex: 1 }), "spec.backoffLimit", 2147483647],
  [j, "is not indexed", jobOf({}), "spec.completionMode", "NonIndexed"],
  [j, "is not suspended", jobOf({}), "spec.suspend", false],
  [j, "does not select by hand", jobOf({}), "spec.manualSelector", false],
  [j, "replaces early", jobOf({}), "spec.podReplacementPolicy", "TerminatingOrFailed"],
  [j, "replaces late with a policy", failureOf(), "spec.podReplacementPolicy", "Failed"],
  [
    j,
    "asks for conditions that hold",
    failureOf({ action: "Count", onPodConditions: [{ type: "A" }] }),
    "spec.podFailurePolicy.rules",
    [{ action: "Count", onPodConditions: [{ type: "A", status: "True" }] }],
  ],
  [
    j,
    "takes its pods' labels",
    jobOf({ template: { ...template, metadata: { labels: { a: "b" } } } }),
    "metadata.labels",
    { a: "b" },
  ],
  [j, "selects by its uid", jobOf({}), "spec.selector", { matchLabels: { [uid]: "u1" } }],
  [j, "labels its pods", jobOf({}), "spec.template.metadata.labels", generated],
  [j, "without labels takes those that its pods are given", jobOf({}), "metadata.labels", generated],
  [
    j,
    "keeps its own labels",
    { ...jobOf({}), metadata: { ...metadata, labels: { a: "b" } } },
    "metadata.labels",
    { a: "b" },
  ],
  [j, "leaves a hand's selector", jobOf({ manualSelector: true }), "spec.selector", undefined],
  [cj, "runs side by side", cronOf({}), "spec.concurrencyPolicy", "Allow"],
  [cj, "is not suspended", cronOf({}), "spec.suspend", false],
  [cj, "keeps three that succeeded", cronOf({}), "spec.successfulJobsHistoryLimit", 3],
  [cj, "keeps one that failed", cronOf({}), "spec.failedJobsHistoryLimit", 1],
  [cj, "has jobs without defaults", cronOf({}), "spec.jobTemplate.spec.parallelism", undefined],
  [cj, "has pods with defaults", cronOf({}), "spec.jobTemplate.spec.template.spec.dnsPolicy", "ClusterFirst"],
  ["batch/v1beta1.CronJob", "is as those of v1", cronOf({}), "spec.successfulJobsHistoryLimit", 3],
];

for (const [kind, what, tree, path, expected] of values) {
  test(`a new ${kind} ${what}`, () => assert.deepEqual(valueAt(kit.created(kind, tree), path), expected));
}

test("Jobs are selected by how many pods succeeded", () => {
  const object: AnyObject = { ...kit.created(j, jobOf({})), status: { succeeded: 2 } };
  assert.equal(selectableFields(kit.kind(j), object)["status.successful"], "2");
});
