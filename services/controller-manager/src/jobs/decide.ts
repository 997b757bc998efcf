import { wireTime } from "@orch/status/wire-time.js";
import type { Pod } from "../rim/pods.js";
import { hasIndex, type IndexSet, indexText, joined, missingIndexes, withIndexes } from "./index-set.js";
import { failedIndexes, failuresOf, type IndexFailures } from "./indexes.js";
import { deadlineInMs, outcomeOf, type Verdict } from "./outcome.js";
import { indexOf, isIndexed, isTerminating, replacesFailedOnly, waitMs } from "./pods.js";
import { type Tally, tallyOf } from "./tracking.js";
import type { Job, JobCondition, JobKeys, JobStatus } from "./types.js";

/** A pod to make. */
export interface NewPod {
  readonly index: number | undefined;
  readonly failures: IndexFailures | undefined;
}

export interface JobPlan {
  readonly create: readonly NewPod[];
  readonly remove: readonly Pod[];
  /** What is removed is no failure: its finalizer goes before it, so that nobody counts it. */
  readonly forgets: boolean;
  /** Stored before any of the finalizers goes. */
  readonly status: JobStatus;
  readonly release: readonly Pod[];
  /** Milliseconds after which there is something to do again. */
  readonly againAfterMs: number | undefined;
  /** Told as events, once the status is stored. */
  readonly news: readonly JobCondition[];
}

export interface JobState {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly keys: JobKeys;
  /** What was made and deleted before is shown. */
  readonly isShown: boolean;
}

const burst = 500;
const terminal: ReadonlySet<string | undefined> = new Set(["Complete", "Failed"]);

export function isFinished({ status }: Job): boolean {
  return status?.conditions?.some(({ type, status: is }) => terminal.has(type) && is === "True") === true;
}

/** What a job needs next. `now`: milliseconds since 1970. */
export function decide(state: JobState, now: number): JobPlan {
  const { job, pods, keys, isShown } = state;
  const tally = tallyOf(job, pods, keys);
  const failures = failuresOf(pods, job, keys);
  const failed = failedIndexes(pods, job, { failures, keys });
  const verdict = outcomeOf({ job, pods, tally, failed, now });
  const facts = { state, tally, failures, failed, now };
  const mayAct = isShown && job.metadata.deletionTimestamp === undefined;
  const change = mayAct ? changeOf(facts, verdict) : nothing;
  const end = isShown ? verdict : undefined;
  const status = statusOf(facts, { verdict, end, change });
  const before = job.status?.conditions ?? [];
  const news = (status.conditions ?? []).filter(
    ({ type, status: is }) => !before.some((each) => each.type === type && each.status === is),
  );
  const late = deadlineInMs({ ...job, status }, now);
  const again = [change.againAfterMs, verdict === undefined ? late : undefined].filter((ms) => ms !== undefined);
  return {
    ...{ create: change.create, remove: change.remove, forgets: verdict === undefined },
    ...{ status, release: tally.release, news },
    againAfterMs: again.length === 0 ? undefined : Math.max(0, Math.min(...again)),
  };
}

type Change = Pick<JobPlan, "create" | "remove" | "againAfterMs">;
const nothing: Change = { create: [], remove: [], againAfterMs: undefined };

interface Facts {
  readonly state: JobState;
  readonly tally: Tally;
  readonly failures: ReadonlyMap<number, IndexFailures>;
  readonly failed: IndexSet;
  readonly now: number;
}

function changeOf(facts: Facts, verdict: Verdict | undefined): Change {
  const { state, tally, now } = facts;
  const { job, pods } = state;
  const { spec = {} } = job;
  if (verdict !== undefined || spec.suspend === true) return { ...nothing, remove: tally.active.slice(0, burst) };
  const surplus = isIndexed(job) ? surplusIndexes(facts) : [];
  const kept = tally.active.filter((pod) => !surplus.includes(pod));
  const wanted = wantedActive(facts, kept.length);
  const tooMany = Math.max(0, kept.length - wanted);
  if (surplus.length + tooMany > 0) {
    const remove = [...surplus, ...[...kept].sort(youngestUnready).slice(0, tooMany)];
    return { ...nothing, remove: remove.slice(0, burst) };
  }
  const going = replacesFailedOnly(job) ? pods.filter(isTerminating).length : 0;
  const count = Math.min(burst, wanted - kept.length - going);
  if (count <= 0) return nothing;
  if (isIndexed(job)) return newIndexes(facts, kept, count);
  const wait = waitMs(pods, job, now);
  if (wait > 0) return { ...nothing, againAfterMs: wait };
  return { ...nothing, create: Array(count).fill({ index: undefined, failures: undefined }) };
}

function wantedActive({ state, tally, failed }: Facts, active: number): number {
  const { parallelism = 1, completions } = state.job.spec ?? {};
  const succeeded = tally.succeeded + (tally.uncounted.succeeded ?? []).length;
  if (completions === undefined) return succeeded > 0 ? Math.min(active, parallelism) : parallelism;
  const lost = failed.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  return Math.max(0, Math.min(parallelism, completions - succeeded - lost));
}

/** Pods of an index that is completed or failed, of one that another pod has, or of none. */
function surplusIndexes({ state, tally, failed }: Facts): readonly Pod[] {
  const seen = new Set<number>();
  return tally.active.filter((pod) => {
    const index = indexOf(pod, state.job, state.keys);
    if (index === undefined || hasIndex(tally.completed, index) || hasIndex(failed, index) || seen.has(index))
      return true;
    seen.add(index);
    return false;
  });
}

/** The lowest indexes that are missing, each once it may be tried again. */
function newIndexes({ state, tally, failures, failed, now }: Facts, kept: readonly Pod[], count: number): Change {
  const { job, pods, keys } = state;
  const completions = job.spec?.completions ?? 0;
  const going = replacesFailedOnly(job) ? pods.filter(isTerminating) : [];
  const busy = [...kept, ...going].flatMap((pod) => indexOf(pod, job, keys) ?? []);
  const taken = joined(withIndexes(tally.completed, busy), failed);
  if (job.spec?.backoffLimitPerIndex === undefined) {
    const wait = waitMs(pods, job, now);
    if (wait > 0) return { ...nothing, againAfterMs: wait };
    const create = missingIndexes(taken, completions, count).map((index) => ({ index, failures: undefined }));
    return { ...nothing, create };
  }
  const waiting = [...failures].filter(([index, { retryAt }]) => retryAt > now && !hasIndex(taken, index));
  const free = missingIndexes(
    withIndexes(
      taken,
      waiting.map(([index]) => index),
    ),
    completions,
    count,
  );
  const retries = waiting.map(([, { retryAt }]) => retryAt - now);
  const none = { counted: 0, ignored: 0, retryAt: 0 };
  return {
    ...nothing,
    create: free.map((index) => ({ index, failures: failures.get(index) ?? none })),
    againAfterMs: retries.length === 0 ? undefined : Math.min(...retries),
  };
}

const weight = ({ spec, status }: Pod): number =>
  (spec?.nodeName ?? "") === "" ? 0 : status?.phase === "Running" ? 2 : 1;
const youngestUnready = (a: Pod, b: Pod): number => weight(a) - weight(b);

/** A status as it is to be stored. The job is over once nothing is left that is not counted. */
function statusOf(
  { state, tally, failed, now }: Facts,
  {
    verdict,
    end,
    change,
  }: { readonly verdict: Verdict | undefined; readonly end: Verdict | undefined; readonly change: Change },
): JobStatus {
  const { job } = state;
  const { status = {}, spec = {} } = job;
  const suspended = spec.suspend === true && verdict === undefined;
  const active = Math.max(0, tally.active.length - change.remove.length);
  const isOver =
    end !== undefined &&
    tally.isSettled &&
    tally.active.length === 0 &&
    tally.terminating === 0 &&
    isEmpty(tally.uncounted);
  const time = wireTime(now);
  const startTime = suspended ? undefined : (status.startTime ?? time);
  const conditions = conditionsOf(job, { verdict, isOver, time });
  return {
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(isOver && end.type === "Complete" ? { completionTime: time } : {}),
    ...(active > 0 ? { active } : {}),
    ...(tally.succeeded > 0 || status.succeeded !== undefined ? { succeeded: tally.succeeded } : {}),
    ...(tally.failed > 0 || status.failed !== undefined ? { failed: tally.failed } : {}),
    terminating: tally.terminating,
    ready: Math.min(tally.ready, active),
    ...(tally.completed.length === 0 ? {} : { completedIndexes: indexText(tally.completed) }),
    ...(spec.backoffLimitPerIndex === undefined ? {} : { failedIndexes: indexText(failed) }),
    uncountedTerminatedPods: {
      ...((tally.uncounted.succeeded ?? []).length === 0 ? {} : { succeeded: tally.uncounted.succeeded ?? [] }),
      ...((tally.uncounted.failed ?? []).length === 0 ? {} : { failed: tally.uncounted.failed ?? [] }),
    },
  };
}

const isEmpty = ({ succeeded = [], failed = [] }: Tally["uncounted"]): boolean =>
  succeeded.length + failed.length === 0;

function conditionsOf(
  { spec, status }: Job,
  { verdict, isOver, time }: { readonly verdict: Verdict | undefined; readonly isOver: boolean; readonly time: string },
): readonly JobCondition[] {
  const before = status?.conditions ?? [];
  const put = (
    conditions: readonly JobCondition[],
    type: string,
    is: string,
    why: Pick<Verdict, "reason" | "message">,
  ) => {
    const known = conditions.find((each) => each.type === type);
    if (known?.status === is) return conditions;
    const times = { lastProbeTime: time, lastTransitionTime: time };
    const next = { type, status: is, ...times, reason: why.reason, message: why.message };
    return known === undefined ? [...conditions, next] : conditions.map((each) => (each === known ? next : each));
  };
  if (verdict !== undefined) {
    const first = put(before, verdict.type === "Failed" ? "FailureTarget" : "SuccessCriteriaMet", "True", verdict);
    return isOver ? put(first, verdict.type, "True", verdict) : first;
  }
  if (spec?.suspend === true)
    return put(before, "Suspended", "True", { reason: "JobSuspended", message: "Job suspended" });
  if (!before.some(({ type }) => type === "Suspended")) return before;
  return put(before, "Suspended", "False", { reason: "JobResumed", message: "Job resumed" });
}
