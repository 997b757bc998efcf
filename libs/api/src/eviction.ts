import { ApiError, badRequest, forbidden, invalid } from "@orch/status/api-error.js";
import { fieldError } from "@orch/status/field-error.js";
import type { PodDisruptionBudget } from "./kinds/policy/types.js";
import { type Condition, isTrue } from "./kinds/shared/conditions.js";
import { selectorMatches } from "./kinds/shared/label-selector.js";
import type { ApiObject } from "./object.js";

/** The body of `pods/{name}/eviction` (policy/v1, policy/v1beta1). */
export interface Eviction extends ApiObject {
  readonly deleteOptions?: DeleteOptions;
}

export interface DeleteOptions {
  readonly dryRun?: readonly string[];
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}

export interface EvictedPod extends ApiObject {
  readonly status?: { readonly phase?: string; readonly conditions?: readonly Condition[] };
}

/** What to do with an eviction: the first of the steps that change something is the caller's. */
export type EvictionDecision =
  /**
   * Delete the pod; only in the state that was judged, where `unchanged`. What changed meanwhile is a conflict, and
   * {@link budgetIsBusy} where a budget's name stands here.
   */
  | { readonly do: "delete"; readonly unchanged: boolean; readonly budget: string | undefined }
  /** Write the budget with this status over the state that was judged, then delete the pod. */
  | { readonly do: "countDown"; readonly budget: PodDisruptionBudget }
  | { readonly do: "refuse"; readonly error: ApiError };

export interface EvictionFacts {
  readonly pod: EvictedPod;
  /** The budgets of the pod's namespace, in the stored version. */
  readonly budgets: readonly PodDisruptionBudget[];
  /** As metadata has it. */
  readonly now: string;
}

const budgetResource = { group: "policy", resource: "poddisruptionbudget" };
const violation = "Cannot evict pod as it would violate the pod's disruption budget.";
const maxDisrupted = 2000;

/** Whether a pod may be evicted (rules: Eviction): its budget allows it, or does not guard it. */
export function decideEviction({ pod, budgets, now }: EvictionFacts): EvictionDecision {
  const ended = hasEnded(pod);
  if (ended || pod.status?.phase === "Pending") return { do: "delete", unchanged: !ended, budget: undefined };
  const [budget, ...more] = budgets.filter(({ spec }) => selectorMatches(spec?.selector, pod.metadata.labels));
  if (budget === undefined) return { do: "delete", unchanged: false, budget: undefined };
  if (more.length > 0) {
    const message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    return { do: "refuse", error: new ApiError("InternalError", message) };
  }
  if (!isTrue(pod.status?.conditions, "Ready") && sparesUnready(budget)) {
    return { do: "delete", unchanged: true, budget: budget.metadata.name };
  }
  const error = refusalOf(budget);
  if (error !== undefined) return { do: "refuse", error };
  return { do: "countDown", budget: countedDown(budget, pod.metadata.name ?? "", now) };
}

/** Its end has done what an eviction would do. */
function hasEnded({ metadata, status }: EvictedPod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed" || metadata.deletionTimestamp !== undefined;
}

/** A pod that is not ready is none of those that the budget counts as healthy. */
function sparesUnready({ spec, status = {} }: PodDisruptionBudget): boolean {
  const { currentHealthy = 0, desiredHealthy = 0 } = status;
  return spec?.unhealthyPodEvictionPolicy === "AlwaysAllow" || (desiredHealthy > 0 && currentHealthy >= desiredHealthy);
}

function refusalOf({ metadata, status = {} }: PodDisruptionBudget): ApiError | undefined {
  const { name = "", generation = 0 } = metadata;
  const { disruptionsAllowed = 0, desiredHealthy = 0, currentHealthy = 0 } = status;
  if ((status.observedGeneration ?? 0) < generation) return budgetIsBusy(name);
  if (disruptionsAllowed < 0) return forbidden(budgetResource, name, "pdb disruptions allowed is negative");
  if (Object.keys(status.disruptedPods ?? {}).length > maxDisrupted) {
    const why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
    return forbidden(budgetResource, name, why);
  }
  if (disruptionsAllowed > 0) return undefined;
  const needs = `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  return new ApiError("TooManyRequests", violation, {
    details: { causes: [{ reason: "DisruptionBudget", message: needs }] },
  });
}

/** 429: the budget's controller has not caught up; trying again soon may help. */
export function budgetIsBusy(name: string): ApiError {
  const message = `The disruption budget ${name} is still being processed by the server.`;
  return new ApiError("TooManyRequests", violation, {
    details: { causes: [{ reason: "DisruptionBudget", message }], retryAfterSeconds: 10 },
  });
}

function countedDown(budget: PodDisruptionBudget, pod: string, now: string): PodDisruptionBudget {
  const { status = {} } = budget;
  const disruptionsAllowed = (status.disruptionsAllowed ?? 0) - 1;
  return {
    ...budget,
    status: {
      ...status,
      disruptionsAllowed,
      disruptedPods: { ...status.disruptedPods, [pod]: now },
      ...(disruptionsAllowed === 0 ? { conditions: exhausted(status, now) } : {}),
    },
  };
}

function exhausted({ conditions = [], observedGeneration }: NonNullable<PodDisruptionBudget["status"]>, now: string) {
  return withCondition(conditions, now, {
    type: "DisruptionAllowed",
    status: "False",
    reason: "InsufficientPods",
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  });
}

/** The conditions with one of them set; it keeps its time unless its status changes. */
function withCondition(conditions: readonly Condition[], now: string, condition: Condition): readonly Condition[] {
  const at = conditions.findIndex((c) => c.type === condition.type);
  const old = conditions[at];
  const kept = old?.status === condition.status ? old?.lastTransitionTime : undefined;
  const next: Condition = { message: "", ...condition, lastTransitionTime: kept ?? now };
  return at < 0 ? [...conditions, next] : conditions.with(at, next);
}

/** The pod as it is stored before its deletion: with the reason of its end. */
export function withDisruptionTarget<T extends EvictedPod>(pod: T, now: string): T {
  const conditions = withCondition(pod.status?.conditions ?? [], now, {
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  });
  return { ...pod, status: { ...pod.status, conditions } };
}

/**
 * The options of the deletion that an eviction asks for, `dryRun` of the request among them. Throws ApiError: BadRequest
 * for an eviction of another pod, Invalid for what evictions may not ask for.
 */
export function evictionOptions(
  podName: string,
  { metadata, deleteOptions = {} }: Eviction,
  dryRun: readonly string[],
): DeleteOptions {
  if (metadata.name !== podName) throw badRequest("name in URL does not match name in Eviction object");
  if (deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential === true) {
    const at = "deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential";
    const detail = "can not be set for pod eviction, try after removing the option";
    throw invalid({ group: "policy", kind: "Eviction" }, podName, [fieldError.invalid(at, true, detail)]);
  }
  const given = deleteOptions.dryRun ?? [];
  return { ...deleteOptions, ...(given.length > 0 || dryRun.length === 0 ? {} : { dryRun }) };
}
