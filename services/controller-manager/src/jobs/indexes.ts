import { hasEnded, type Pod } from "../rim/pods.js";
import { judgeFailure } from "./failure-policy.js";
import { type IndexSet, indexesOf, withIndexes } from "./index-set.js";
import { backoffMs, endOf, indexOf, isFailed } from "./pods.js";
import type { Job, JobKeys } from "./types.js";

/** What has failed of an index so far. */
export interface IndexFailures {
  readonly counted: number;
  readonly ignored: number;
  /** Milliseconds since 1970 before which it is not tried again. */
  readonly retryAt: number;
}

const none: IndexFailures = { counted: 0, ignored: 0, retryAt: 0 };

/** What the next pod of an index carries: each pod tells how often the index had failed before it. */
export function failuresOf(pods: readonly Pod[], job: Job, keys: JobKeys): ReadonlyMap<number, IndexFailures> {
  const failures = new Map<number, IndexFailures>();
  if (job.spec?.backoffLimitPerIndex === undefined) return failures;
  for (const pod of pods) {
    const index = indexOf(pod, job, keys);
    if (index === undefined || !isFailed(pod, job)) continue;
    const isIgnored = judgeFailure(pod, job).action === "Ignore";
    const counted = countOf(pod, keys.failureCount) + (isIgnored ? 0 : 1);
    const ignored = countOf(pod, keys.ignoredFailureCount) + (isIgnored ? 1 : 0);
    const before = failures.get(index) ?? none;
    if (counted + ignored < before.counted + before.ignored) continue;
    const retryAt = Math.max(before.retryAt, hasEnded(pod) ? endOf(pod) + backoffMs(counted + ignored) : 0);
    failures.set(index, { counted, ignored, retryAt });
  }
  return failures;
}

function countOf({ metadata }: Pod, key: string): number {
  const text = metadata.annotations?.[key];
  return text !== undefined && /^[0-9]{1,10}$/.test(text) ? Number(text) : 0;
}

/** Indexes that have failed as often as they may, or that a rule has failed. */
export function failedIndexes(
  pods: readonly Pod[],
  job: Job,
  { failures, keys }: { readonly failures: ReadonlyMap<number, IndexFailures>; readonly keys: JobKeys },
): IndexSet {
  const { backoffLimitPerIndex: limit, completions = 0 } = job.spec ?? {};
  if (limit === undefined) return [];
  const spent = [...failures].flatMap(([index, { counted }]) => (counted > limit ? index : []));
  const ruled = pods.flatMap((pod) =>
    isFailed(pod, job) && judgeFailure(pod, job).action === "FailIndex" ? (indexOf(pod, job, keys) ?? []) : [],
  );
  return withIndexes(indexesOf(job.status?.failedIndexes, completions), [...spent, ...ruled]);
}

export function failureAnnotations(
  { counted, ignored }: IndexFailures,
  keys: JobKeys,
): Readonly<Record<string, string>> {
  return {
    [keys.failureCount]: String(counted),
    ...(ignored === 0 ? {} : { [keys.ignoredFailureCount]: String(ignored) }),
  };
}
