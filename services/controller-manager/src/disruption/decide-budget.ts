import { amountOf, type IntOrPercent } from "@orch/api/kinds/shared/int-or-percent.js";
import type { ApiObject } from "@orch/client/objects.js";
import { wireTime } from "@orch/status/wire-time.js";
import { controllerOf, isGoing, type Meta, timeOf } from "../rim/objects.js";
import type { LabelSelector } from "../rim/selection.js";
import { type Condition, withCondition } from "../rim/status.js";
import { isReady } from "../seen/conditions.js";
import type { SeenPod } from "../seen/pod.js";

export interface BudgetStatus {
  readonly observedGeneration?: number;
  readonly disruptedPods?: Readonly<Record<string, string>>;
  readonly disruptionsAllowed?: number;
  readonly currentHealthy?: number;
  readonly desiredHealthy?: number;
  readonly expectedPods?: number;
  readonly conditions?: readonly Condition[];
}

export interface Budget extends ApiObject {
  readonly metadata: Meta;
  readonly spec?: {
    readonly selector?: LabelSelector;
    readonly minAvailable?: IntOrPercent;
    readonly maxUnavailable?: IntOrPercent;
  };
  readonly status?: BudgetStatus;
}

/** How many pods the controller of a pod wants; a text says why nobody knows. */
export type Scale = { readonly uid: string; readonly replicas: number } | string;

export interface BudgetState {
  readonly budget: Budget;
  /** Those that the budget selects. */
  readonly pods: readonly SeenPod[];
  /** By the uid of the controller that a pod names; only asked where {@link needsScales}. */
  readonly scales: ReadonlyMap<string, Scale>;
}

export interface BudgetEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: "NoPods" | "CalculateExpectedPodCountFailed" | "UnmanagedPods" | "NotDeleted";
  readonly message: string;
}

export interface BudgetDecision {
  readonly status: BudgetStatus;
  readonly events: readonly BudgetEvent[];
  /** When a pod that was to be evicted is counted again; undefined where none is waited for. Milliseconds since 1970. */
  readonly againAt: number | undefined;
}

/** A pod whose eviction was let through is not counted for as long; afterwards nobody has evicted it. */
const evictionMs = 2 * 60_000;

/** Whether the budget is a part of what the pods' controllers want, not a number of pods. */
export const needsScales = ({ spec = {} }: Budget): boolean =>
  spec.maxUnavailable !== undefined || typeof spec.minAvailable === "string";

/** The status of a budget. `now`: milliseconds since 1970. */
export function decideBudget({ budget, pods, scales }: BudgetState, now: number): BudgetDecision {
  const events: BudgetEvent[] = [];
  if (pods.length === 0) events.push({ type: "Normal", reason: "NoPods", message: "No matching pods found" });
  const expected = expectedPods(budget, pods, scales);
  const { unmanaged } = expected;
  if (unmanaged.length > 0) {
    const message = `Pods selected by this PodDisruptionBudget (selector: ${JSON.stringify(budget.spec?.selector ?? {})}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
    events.push({ type: "Warning", reason: "UnmanagedPods", message });
  }
  if (expected.problem !== undefined) {
    const message = `Failed to calculate the number of expected pods: ${expected.problem}`;
    events.push({ type: "Warning", reason: "CalculateExpectedPodCountFailed", message });
    return { status: failSafe(budget, expected.problem, now), events, againAt: undefined };
  }
  const disrupted = disruptedPods(budget, pods, now);
  for (const name of disrupted.late) {
    const message = `Pod was expected by PDB ${budget.metadata.namespace}/${budget.metadata.name} to be deleted but it wasn't`;
    events.push({ type: "Warning", reason: "NotDeleted", message: `${message} (${name})` });
  }
  const isCounted = (pod: SeenPod): boolean =>
    !isGoing(pod) && isReady(pod) && disrupted.waited[pod.metadata.name ?? ""] === undefined;
  const currentHealthy = pods.filter(isCounted).length;
  const allowed = expected.count <= 0 ? 0 : Math.max(0, currentHealthy - expected.desired);
  const status: BudgetStatus = {
    ...(budget.metadata.generation === undefined ? {} : { observedGeneration: budget.metadata.generation }),
    ...(Object.keys(disrupted.waited).length === 0 ? {} : { disruptedPods: disrupted.waited }),
    disruptionsAllowed: allowed,
    currentHealthy,
    desiredHealthy: expected.desired,
    expectedPods: expected.count,
    conditions: withAllowed(budget, allowed > 0 ? "SufficientPods" : "InsufficientPods", "", now),
  };
  return { status, events, againAt: disrupted.againAt };
}

interface Expected {
  readonly count: number;
  /** Healthy pods. */
  readonly desired: number;
  readonly problem?: string;
  readonly unmanaged: readonly string[];
}

function expectedPods(budget: Budget, pods: readonly SeenPod[], scales: ReadonlyMap<string, Scale>): Expected {
  const { maxUnavailable, minAvailable } = budget.spec ?? {};
  if (maxUnavailable === undefined && typeof minAvailable !== "string") {
    return { count: pods.length, desired: minAvailable ?? 0, unmanaged: [] };
  }
  const counted = new Map<string, number>();
  const unmanaged: string[] = [];
  for (const pod of pods) {
    const controller = controllerOf(pod);
    if (controller === undefined) unmanaged.push(pod.metadata.name ?? "");
    else {
      const scale = scales.get(controller.uid ?? "") ?? `found no controllers for pod "${pod.metadata.name}"`;
      if (typeof scale === "string") return { count: 0, desired: 0, problem: scale, unmanaged };
      counted.set(scale.uid, scale.replicas);
    }
  }
  const count = [...counted.values()].reduce((sum, replicas) => sum + replicas, 0);
  const desired =
    maxUnavailable === undefined
      ? scaled(minAvailable ?? 0, count)
      : Math.max(0, count - scaled(maxUnavailable, count));
  return { count, desired, unmanaged };
}

/** `50%` of 5 is 3. */
const scaled = (value: IntOrPercent, of: number): number =>
  typeof value === "number" ? value : Math.ceil((amountOf(value) * of) / 100);

function disruptedPods({ status = {} }: Budget, pods: readonly SeenPod[], now: number) {
  const waited: Record<string, string> = {};
  const late: string[] = [];
  let againAt: number | undefined;
  for (const pod of pods) {
    const { name = "" } = pod.metadata;
    const since = status.disruptedPods?.[name];
    if (since === undefined || isGoing(pod)) continue;
    const until = timeOf(since) + evictionMs;
    if (until < now) late.push(name);
    else {
      waited[name] = since;
      againAt = Math.min(againAt ?? until, until);
    }
  }
  return { waited, late, againAt };
}

function withAllowed(budget: Budget, reason: string, message: string, now: number): readonly Condition[] {
  const condition = {
    type: "DisruptionAllowed",
    status: reason === "SufficientPods" ? "True" : "False",
    reason,
    message,
  };
  const { generation } = budget.metadata;
  return withCondition(budget.status?.conditions ?? [], condition, now).map((each) =>
    each.type === condition.type && generation !== undefined ? { ...each, observedGeneration: generation } : each,
  );
}

/** What nobody can count is not disrupted. */
const failSafe = (budget: Budget, problem: string, now: number): BudgetStatus => ({
  ...{ currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  ...budget.status,
  disruptionsAllowed: 0,
  conditions: withAllowed(budget, "SyncFailed", problem, now),
});

/** A pod says that it is about to be evicted, and is not: when it is no longer believed. Milliseconds since 1970. */
export function staleDisruptionAt(pod: SeenPod): number | undefined {
  const condition = pod.status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  if (condition?.status !== "True" || isGoing(pod)) return undefined;
  if (pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed") return undefined;
  return timeOf(condition.lastTransitionTime) + evictionMs;
}

/** For the pod that {@link staleDisruptionAt} tells of. */
export const noDisruption = (now: number) => ({
  ...{ type: "DisruptionTarget", status: "False", reason: "", message: "" },
  lastTransitionTime: wireTime(now),
});
