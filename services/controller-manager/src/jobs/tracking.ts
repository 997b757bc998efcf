import { isReady, type Pod } from "../rim/pods.js";
import { judgeFailure } from "./failure-policy.js";
import { type IndexSet, indexesOf, withIndexes } from "./index-set.js";
import { hasFinalizer, indexOf, isFailed, isIndexed, isTerminating } from "./pods.js";
import type { Job, JobKeys, JobStatus } from "./types.js";

type Uncounted = NonNullable<JobStatus["uncountedTerminatedPods"]>;

/**
 * How a job has gone so far. Each pod that has ended is counted once, whatever stops in between: its uid is stored in the
 * status as uncounted, then its finalizer goes, then it moves into a number. A pod with a finalizer was not counted, one
 * without it was, or is listed.
 */
export interface Tally {
  readonly succeeded: number;
  readonly failed: number;
  /** Stored once more: those that were listed and those that have ended since. */
  readonly uncounted: Uncounted;
  /** Whose finalizers may go once the status is stored. */
  readonly release: readonly Pod[];
  /** Of an indexed job. */
  readonly completed: IndexSet;
  /** Pods of the job that run or will. */
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  /** Something that has ended keeps its finalizer still. */
  readonly isSettled: boolean;
}

export function tallyOf(job: Job, pods: readonly Pod[], keys: JobKeys): Tally {
  const { status = {} } = job;
  const held = new Set(pods.flatMap((pod) => (hasFinalizer(pod, keys) ? (pod.metadata.uid ?? "") : [])));
  const { succeeded: oldSucceeded = [], failed: oldFailed = [] } = status.uncountedTerminatedPods ?? {};
  const known = new Set([...oldSucceeded, ...oldFailed]);
  const active = pods.filter((pod) => !isTerminating(pod) && !isOver(pod));
  const fresh = pods.filter((pod) => {
    const isNew = hasFinalizer(pod, keys) && !known.has(pod.metadata.uid ?? "");
    return isNew && (pod.status?.phase === "Succeeded" || isFailed(pod, job));
  });
  const won = fresh.filter((pod) => pod.status?.phase === "Succeeded");
  const lost = fresh.filter((pod) => {
    const isCounted = pod.status?.phase !== "Succeeded" && judgeFailure(pod, job).action !== "Ignore";
    return isCounted && (!isIndexed(job) || indexOf(pod, job, keys) !== undefined);
  });
  const uncounted = {
    succeeded: isIndexed(job) ? [] : [...oldSucceeded.filter((uid) => held.has(uid)), ...uidsOf(won)],
    failed: [...oldFailed.filter((uid) => held.has(uid)), ...uidsOf(lost)],
  };
  const completions = job.spec?.completions ?? 0;
  const indexes = won.flatMap((pod) => indexOf(pod, job, keys) ?? []);
  const completed = isIndexed(job) ? withIndexes(indexesOf(status.completedIndexes, completions), indexes) : [];
  const release = pods.filter((pod) => known.has(pod.metadata.uid ?? "") && hasFinalizer(pod, keys));
  return {
    succeeded: isIndexed(job)
      ? completed.reduce((sum, { first, last }) => sum + last - first + 1, 0)
      : (status.succeeded ?? 0) + oldSucceeded.filter((uid) => !held.has(uid)).length,
    failed: (status.failed ?? 0) + oldFailed.filter((uid) => !held.has(uid)).length,
    uncounted,
    release: [...release, ...fresh],
    completed,
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
    isSettled: release.length + fresh.length === 0,
  };
}

const isOver = ({ status }: Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";
const uidsOf = (pods: readonly Pod[]): readonly string[] => pods.map(({ metadata }) => metadata.uid ?? "");
