import { timeOf } from "../rim/objects.js";
import { hasEnded, type Pod } from "../rim/pods.js";
import type { Job, JobKeys } from "./types.js";

export const isIndexed = ({ spec }: Job): boolean => spec?.completionMode === "Indexed";

/** Only what has failed makes room for another pod: one that goes does not yet. */
export const replacesFailedOnly = ({ spec }: Job): boolean => spec?.podReplacementPolicy === "Failed";

/** The completion index of a pod; undefined for one that has none below the completions. */
export function indexOf(pod: Pod, { spec }: Job, keys: JobKeys): number | undefined {
  const text = pod.metadata.annotations?.[keys.index];
  if (text === undefined || !/^[0-9]{1,10}$/.test(text)) return undefined;
  const index = Number(text);
  return index < (spec?.completions ?? 0) ? index : undefined;
}

export function hasFinalizer({ metadata }: Pod, { finalizer }: JobKeys): boolean {
  return metadata.finalizers?.includes(finalizer) === true;
}

export const isTerminating = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined && !hasEnded(pod);

/** It ended badly, or goes and will not end well: on no node, or once that is done with it, nobody tells how it ends. */
export function isFailed(pod: Pod, job: Job): boolean {
  if (pod.status?.phase === "Failed") return true;
  if (!isTerminating(pod)) return false;
  const isDone = pod.metadata["deletionGracePeriodSeconds"] === 0 || (pod.spec?.nodeName ?? "") === "";
  return isDone || !replacesFailedOnly(job);
}

/** Milliseconds since 1970 at which a pod ended, as near as can be told. */
export function endOf({ metadata, status }: Pod): number {
  const ends = (status?.containerStatuses ?? []).map(({ state }) => timeOf(state?.terminated?.finishedAt));
  const last = Math.max(0, ...ends);
  if (last > 0) return last;
  const ready = status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
  return timeOf(ready ?? metadata.deletionTimestamp ?? metadata.creationTimestamp);
}

const firstDelayMs = 10_000;
const longestDelayMs = 600_000;

/** How long after the n-th failure in a row there is no new pod. */
export function backoffMs(failures: number): number {
  return failures <= 0 ? 0 : Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(failures - 1, 20));
}

/** Milliseconds until pods may be made again: after failures since the last success. */
export function waitMs(pods: readonly Pod[], job: Job, now: number): number {
  const ended = pods
    .filter((pod) => pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed")
    .map((pod) => ({ at: endOf(pod), failed: isFailed(pod, job) }))
    .sort((a, b) => a.at - b.at);
  const since = ended.findLastIndex(({ failed }) => !failed) + 1;
  const last = ended.at(-1);
  if (last === undefined || since >= ended.length) return 0;
  return Math.max(0, last.at + backoffMs(ended.length - since) - now);
}
