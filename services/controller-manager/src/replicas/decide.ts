import { availableInMs, isActive, isAvailable, isReady, type Pod } from "../rim/pods.js";
import { compileSelectorOnce, type Labels, selectorOfLabels } from "../rim/selection.js";
import { type Condition, withCondition, withoutCondition } from "../rim/status.js";
import type { ReplicaSet, ReplicaStatus } from "./types.js";

export interface ReplicaPlan {
  /** Pods to make. */
  readonly create: number;
  /** How many of {@link candidates} are to go. */
  readonly remove: number;
  readonly candidates: readonly Pod[];
}

/** No more are made or deleted in one go. */
export const burstReplicas = 500;

/** What to do about the number of pods; `pods` are all that are the set's. */
export function planReplicas({ metadata, spec }: ReplicaSet, pods: readonly Pod[]): ReplicaPlan {
  const candidates = pods.filter(isActive);
  const missing = (spec?.replicas ?? 1) - candidates.length;
  if (metadata.deletionTimestamp !== undefined) return { create: 0, remove: 0, candidates };
  return {
    create: Math.min(burstReplicas, Math.max(0, missing)),
    remove: Math.min(burstReplicas, Math.max(0, -missing)),
    candidates,
  };
}

/** What came of carrying a plan out. */
export interface Failed {
  readonly reason: "FailedCreate" | "FailedDelete";
  readonly message: string;
}

const noLabels: Labels = {};

/** The status of a set; `now`: milliseconds since 1970. */
export function replicaStatus(
  { metadata, spec, status }: ReplicaSet,
  pods: readonly Pod[],
  { failed, now }: { readonly failed: Failed | undefined; readonly now: number },
): ReplicaStatus {
  const matcher = compileSelectorOnce(selectorOfLabels(spec?.template?.metadata?.labels ?? noLabels));
  const active = pods.filter(isActive);
  const count = (holds: (pod: Pod) => boolean): number => active.filter(holds).length;
  const conditions = conditionsOf(status?.conditions ?? [], failed, now);
  return {
    replicas: active.length,
    ...some(
      "fullyLabeledReplicas",
      count((pod) => matcher?.matches(pod.metadata.labels) === true),
    ),
    ...some("readyReplicas", count(isReady)),
    ...some(
      "availableReplicas",
      count((pod) => isAvailable(pod, spec?.minReadySeconds ?? 0, now)),
    ),
    observedGeneration: metadata.generation ?? 0,
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

function some<K extends string>(name: K, count: number): { readonly [name in K]?: number } {
  const field: { [name in K]?: number } = {};
  if (count > 0) field[name] = count;
  return field;
}

function conditionsOf(conditions: readonly Condition[], failed: Failed | undefined, now: number) {
  if (failed === undefined) return withoutCondition(conditions, "ReplicaFailure");
  // What failed first stands until something succeeds: a message names the pod that was refused, and each change of the
  // status would begin the next attempt at once.
  if (conditions.some(({ type }) => type === "ReplicaFailure")) return conditions;
  return withCondition(conditions, { type: "ReplicaFailure", status: "True", ...failed }, now);
}

/** Milliseconds until pods that are ready count as available, where that changes the status. */
export function lookAgainInMs({ spec }: ReplicaSet, pods: readonly Pod[], now: number): number | undefined {
  return availableInMs(pods.filter(isActive), spec?.minReadySeconds ?? 0, now);
}
