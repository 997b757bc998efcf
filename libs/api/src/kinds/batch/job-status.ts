import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { isTrue } from "../shared/conditions.js";
import { validateCounts } from "../shared/counts.js";
import { wrong } from "../shared/problems.js";
import { sameMeaning } from "../shared/same-meaning.js";
import { parseIndexes, sharedIndex } from "./indexes.js";
import type { Job, JobStatus } from "./types.js";

/** What the rules ask about a state. */
interface State {
  readonly status: JobStatus;
  readonly complete: boolean;
  readonly failed: boolean;
  readonly finished: boolean;
  readonly failureTarget: boolean;
  readonly successMet: boolean;
}

function stateOf({ status = {} }: Job): State {
  const is = (type: string): boolean => isTrue(status.conditions, type);
  const complete = is("Complete");
  const failed = is("Failed");
  return {
    status,
    complete,
    failed,
    finished: complete || failed,
    failureTarget: is("FailureTarget"),
    successMet: is("SuccessCriteriaMet"),
  };
}

/** A rule that holds for changes: what was wrong before does not stand in the way of other writes. */
interface Rule {
  /** Looked at when one of these differs from before; always, without any. */
  readonly when?: readonly (keyof State | keyof JobStatus)[];
  readonly broken: (now: State, old: State, job: Job) => FieldError | undefined;
}

/** Everything wrong with a new status of a Job, which controllers of others may write too (`managedBy`). */
export function validateJobStatus(job: Job, before: Job): FieldError[] {
  const now = stateOf(job);
  const old = stateOf(before);
  const differs = (name: keyof State | keyof JobStatus): boolean =>
    name in now
      ? now[name as keyof State] !== old[name as keyof State]
      : !sameMeaning(now.status[name as keyof JobStatus], old.status[name as keyof JobStatus]);
  return [
    ...validateCounts(now.status, ["active", "succeeded", "failed", "ready", "terminating"], "status"),
    ...validateUncounted(now.status),
    ...rules.flatMap(({ when, broken }) => {
      const error = when === undefined || when.some(differs) ? broken(now, old, job) : undefined;
      return error === undefined ? [] : [error];
    }),
  ];
}

function validateUncounted({ uncountedTerminatedPods: pods }: JobStatus): FieldError[] {
  const seen = new Set<string>();
  return (["succeeded", "failed"] as const).flatMap((name) =>
    (pods?.[name] ?? []).flatMap((uid, i) => {
      const at = `status.uncountedTerminatedPods.${name}[${i}]`;
      if (uid === "") return [fieldError.invalid(at, uid, "must not be empty")];
      if (seen.has(uid)) return [fieldError.duplicate(at, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

const conditions = "status.conditions";

/** A combination of conditions that cannot be. */
function never(test: (now: State, old: State, job: Job) => boolean, detail: string, when?: Rule["when"]): Rule {
  return {
    ...(when === undefined ? {} : { when }),
    broken: (now, old, job) => (test(now, old, job) ? wrong(conditions, detail) : undefined),
  };
}

/** A wrong value of a field of the status. */
function field(
  name: keyof JobStatus,
  detail: string,
  { when, test }: { readonly when?: Rule["when"]; readonly test: (now: State, old: State, job: Job) => boolean },
): Rule {
  return {
    ...(when === undefined ? {} : { when }),
    broken: (now, old, job) =>
      test(now, old, job) ? fieldError.invalid(`status.${name}`, now.status[name] ?? 0, detail) : undefined,
  };
}

const combinations: readonly Rule[] = [
  never((now) => now.complete && now.failed, "cannot set Complete=True and Failed=true conditions", [
    "complete",
    "failed",
  ]),
  never((now) => now.complete && now.failureTarget, "cannot set Complete=True and FailureTarget=true conditions", [
    "complete",
    "failureTarget",
  ]),
  field("completionTime", "cannot set completionTime when there is no Complete=True condition", {
    when: ["complete", "completionTime"],
    test: (now) => now.status.completionTime !== undefined && !now.complete,
  }),
  {
    when: ["complete", "completionTime"],
    broken: (now) =>
      now.complete && now.status.completionTime === undefined
        ? fieldError.required("status.completionTime", "completionTime is required for Complete jobs")
        : undefined,
  },
  field("completionTime", "completionTime cannot be set before startTime", {
    when: ["startTime", "completionTime"],
    test: ({ status: { startTime, completionTime } }) =>
      startTime !== undefined && completionTime !== undefined && completionTime < startTime,
  }),
  never(
    (now) => now.failed && !now.failureTarget,
    "cannot set Failed=True condition without the FailureTarget=true condition",
    ["failed", "failedIndexes"],
  ),
  never(
    (now) => now.complete && !now.successMet,
    "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
    ["complete", "successMet"],
  ),
];

const finishedJobs: readonly Rule[] = [
  field("active", "active>0 is invalid for finished job", {
    when: ["finished", "active"],
    test: (now) => now.finished && (now.status.active ?? 0) > 0,
  }),
  {
    when: ["finished", "startTime"],
    broken: (now) =>
      now.finished && now.status.startTime === undefined
        ? fieldError.required("status.startTime", "startTime is required for finished job")
        : undefined,
  },
  field("uncountedTerminatedPods", "uncountedTerminatedPods needs to be empty for finished job", {
    when: ["finished", "uncountedTerminatedPods"],
    test: ({ finished, status: { uncountedTerminatedPods: pods } }) =>
      finished && (pods?.failed ?? []).length + (pods?.succeeded ?? []).length > 0,
  }),
];

const indexRules: readonly Rule[] = [
  indexesRule("completedIndexes", (_job, text) => text !== ""),
  indexesRule("failedIndexes", (job) => job.spec?.backoffLimitPerIndex !== undefined),
  field("completedIndexes", "cannot set non-empty completedIndexes when non-indexed completion mode", {
    when: ["completedIndexes"],
    test: (now, _old, job) => (now.status.completedIndexes ?? "") !== "" && job.spec?.completionMode !== "Indexed",
  }),
  field("failedIndexes", "cannot set non-null failedIndexes when backoffLimitPerIndex is null", {
    when: ["failedIndexes"],
    test: (now, _old, job) => now.status.failedIndexes !== undefined && job.spec?.backoffLimitPerIndex === undefined,
  }),
  { when: ["failedIndexes", "completedIndexes"], broken: (now, _old, job) => overlap(now.status, job) },
];

function indexesRule(name: "completedIndexes" | "failedIndexes", applies: (job: Job, text: string) => boolean): Rule {
  return {
    when: [name],
    broken: ({ status: { [name]: text } }, _old, job) => {
      const completions = job.spec?.completions;
      if (text === undefined || completions === undefined || !applies(job, text)) return undefined;
      const problem = parseIndexes(text, completions);
      return typeof problem === "string"
        ? fieldError.invalid(`status.${name}`, text, `error parsing ${name}: ${problem}`)
        : undefined;
    },
  };
}

function overlap({ completedIndexes = "", failedIndexes = "" }: JobStatus, job: Job): FieldError | undefined {
  const completed = parseIndexes(completedIndexes, job.spec?.completions ?? 0);
  const failed = parseIndexes(failedIndexes, job.spec?.completions ?? 0);
  if (typeof completed === "string" || typeof failed === "string") return undefined;
  const index = sharedIndex(completed, failed);
  return index === undefined
    ? undefined
    : fieldError.invalid(
        "status.failedIndexes",
        failedIndexes,
        `failedIndexes and completedIndexes overlap at index: ${index}`,
      );
}

const podRules: readonly Rule[] = [
  field("terminating", "terminating>0 is invalid for finished job", {
    when: ["finished", "terminating"],
    test: (now) => now.finished && (now.status.terminating ?? 0) > 0,
  }),
  field("ready", "cannot set more ready pods than active", {
    when: ["ready", "active"],
    test: ({ status: { ready, active = 0 } }) => ready !== undefined && ready > active,
  }),
  never((now) => now.successMet && now.failed, "cannot set SuccessCriteriaMet=True and Failed=true conditions"),
  never(
    (now) => now.successMet && now.failureTarget,
    "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions",
  ),
  never(
    (now, _old, job) => job.spec?.successPolicy !== undefined && !now.successMet && now.complete,
    "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True",
  ),
];

/** Steps back: what has ended does not begin again. */
const transitions: readonly Rule[] = [
  never((now, old) => old.failed && !now.failed, "cannot disable the terminal Failed=True condition"),
  never((now, old) => old.complete && !now.complete, "cannot disable the terminal Complete=True condition"),
  never(
    (now, old) => old.failureTarget && !now.failureTarget,
    "cannot disable the terminal FailureTarget=True condition",
  ),
  field("failed", "cannot decrease the failed counter", {
    test: (now, old) => (now.status.failed ?? 0) < (old.status.failed ?? 0),
  }),
  field("succeeded", "cannot decrease the succeeded counter", {
    // An indexed Job whose numbers are equal can be made smaller.
    test: (now, old, { spec = {} }) =>
      (spec.completionMode !== "Indexed" || spec.completions !== spec.parallelism) &&
      (now.status.succeeded ?? 0) < (old.status.succeeded ?? 0),
  }),
  field("completionTime", "completionTime cannot be mutated", {
    test: ({ status: { completionTime: time } }, { status: { completionTime: before } }) =>
      time !== undefined && before !== undefined && time !== before,
  }),
  {
    when: ["startTime"],
    broken: (_now, old, job) =>
      old.status.startTime !== undefined && job.spec?.suspend !== true
        ? fieldError.required("status.startTime", "startTime cannot be removed for unsuspended job")
        : undefined,
  },
  never((now, old) => old.successMet && !now.successMet, "cannot disable the SuccessCriteriaMet=True condition"),
  never(
    (now, old) => old.complete && !old.successMet && now.successMet,
    "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions",
  ),
];

const rules: readonly Rule[] = [...combinations, ...finishedJobs, ...indexRules, ...podRules, ...transitions];
