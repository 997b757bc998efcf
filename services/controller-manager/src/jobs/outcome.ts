import { millisecondsOf, timeOf } from "../rim/objects.js";
import { type Pod, restartsOf } from "../rim/pods.js";
import { judgeFailure } from "./failure-policy.js";
import { type IndexSet, indexesOf } from "./index-set.js";
import { isFailed, isIndexed } from "./pods.js";
import type { Tally } from "./tracking.js";
import type { Job } from "./types.js";

/** How a job is to end. */
export interface Verdict {
  readonly type: "Failed" | "Complete";
  readonly reason: string;
  readonly message: string;
}

const countOf = (set: IndexSet): number => set.reduce((sum, { first, last }) => sum + last - first + 1, 0);
const neverTooOften = 2_147_483_647;

export interface OutcomeFacts {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly tally: Tally;
  readonly failed: IndexSet;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Undefined while there is something to do. What was said in a condition before stays. */
export function outcomeOf(facts: OutcomeFacts): Verdict | undefined {
  const { job, tally } = facts;
  return said(job) ?? failureOf(facts) ?? successOf(facts) ?? completionOf(job, tally);
}

function said({ status }: Job): Verdict | undefined {
  for (const [condition, type] of [
    ["FailureTarget", "Failed"],
    ["SuccessCriteriaMet", "Complete"],
  ] as const) {
    const found = status?.conditions?.find((each) => each.type === condition && each.status === "True");
    if (found !== undefined) return { type, reason: found.reason ?? "", message: found.message ?? "" };
  }
  return undefined;
}

function failureOf({ job, pods, tally, failed, now }: OutcomeFacts): Verdict | undefined {
  const { spec = {}, status = {} } = job;
  const fail = (reason: string, message: string): Verdict => ({ type: "Failed", reason, message });
  for (const pod of spec.podFailurePolicy === undefined ? [] : pods) {
    const verdict = isFailed(pod, job) ? judgeFailure(pod, job) : undefined;
    if (verdict?.action === "FailJob") return fail("PodFailurePolicy", verdict.message);
  }
  const limit = spec.backoffLimit ?? (spec.backoffLimitPerIndex === undefined ? 6 : neverTooOften);
  const failures = tally.failed + (tally.uncounted.failed ?? []).length;
  if (failures > limit || isRestartedTooOften(job, tally.active, limit)) {
    return fail("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  const late = deadlineInMs(job, now);
  if (late !== undefined && late <= 0) return fail("DeadlineExceeded", "Job was active longer than specified deadline");
  if (!isIndexed(job) || spec.backoffLimitPerIndex === undefined) return undefined;
  const failedCount = countOf(failed);
  if (spec.maxFailedIndexes !== undefined && failedCount > spec.maxFailedIndexes) {
    return fail("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
  }
  const isOver = failedCount > 0 && tally.succeeded + failedCount >= (spec.completions ?? 0);
  return isOver && status.conditions?.every(({ type }) => type !== "Complete") !== false
    ? fail("FailedIndexes", "Job has failed indexes")
    : undefined;
}

/** Pods that are started again on their nodes count each restart. */
function isRestartedTooOften({ spec }: Job, active: readonly Pod[], limit: number): boolean {
  const { restartPolicy }: { readonly restartPolicy?: string } = spec?.template?.spec ?? {};
  if (restartPolicy !== "OnFailure") return false;
  const restarts = active.reduce((sum, pod) => sum + restartsOf(pod), 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** Milliseconds until a job has been active for too long; undefined where there is no end to it. */
export function deadlineInMs({ spec, status }: Job, now: number): number | undefined {
  if (spec?.activeDeadlineSeconds === undefined || spec.suspend === true) return undefined;
  const deadlineMs = millisecondsOf(spec.activeDeadlineSeconds);
  return status?.startTime === undefined ? deadlineMs : timeOf(status.startTime) + deadlineMs - now;
}

function successOf({ job, tally }: OutcomeFacts): Verdict | undefined {
  const { rules = [] } = job.spec?.successPolicy ?? {};
  for (const [i, { succeededIndexes, succeededCount }] of isIndexed(job) ? rules.entries() : []) {
    const asked = succeededIndexes === undefined ? undefined : indexesOf(succeededIndexes, job.spec?.completions ?? 0);
    const counted = asked === undefined ? tally.completed : shared(asked, tally.completed);
    const wanted = succeededCount ?? countOf(asked ?? []);
    if (countOf(counted) >= wanted && wanted > 0) {
      return { type: "Complete", reason: "SuccessPolicy", message: `Matched rules at index ${i}` };
    }
  }
  return undefined;
}

function shared(a: IndexSet, b: IndexSet): IndexSet {
  return a.flatMap((one) =>
    b.flatMap((other) => {
      const [first, last] = [Math.max(one.first, other.first), Math.min(one.last, other.last)];
      return first <= last ? { first, last } : [];
    }),
  );
}

function completionOf({ spec }: Job, tally: Tally): Verdict | undefined {
  const succeeded = tally.succeeded + (tally.uncounted.succeeded ?? []).length;
  const isDone =
    spec?.completions === undefined
      ? succeeded > 0 && tally.active.length === 0
      : succeeded >= spec.completions && tally.active.length === 0;
  return isDone
    ? { type: "Complete", reason: "CompletionsReached", message: "Reached expected number of succeeded pods" }
    : undefined;
}
