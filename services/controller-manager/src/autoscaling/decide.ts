import { wireTime } from "@orch/status/wire-time.js";
import type { Pod } from "../rim/pods.js";
import { type Condition, withCondition } from "../rim/status.js";
import { type Evaluated, evaluate, failurePrefix, failureReason, type Reading, type Scale } from "./evaluate.js";
import { limit, type Memory, type Recommendation } from "./limits.js";
import { MetricProblem, type ProposalOptions } from "./proposal.js";
import type { Autoscaler, AutoscalerStatus, MetricSpec } from "./types.js";

export interface DecideOptions extends ProposalOptions {
  /** How long the highest proposal holds before shrinking, where the autoscaler does not say. */
  readonly downWindowMs: number;
}

export interface State {
  readonly autoscaler: Autoscaler;
  readonly scale: Scale;
  readonly pods: readonly Pod[];
  /** One for each metric of the autoscaler. */
  readonly readings: readonly Reading[];
  readonly memory: Memory;
}

export interface Decision {
  /** Undefined where the target stays as it is. */
  readonly rescale?: { readonly to: number; readonly reason: string };
  readonly status: AutoscalerStatus;
  /** Why nothing was decided, for events. */
  readonly failed?: readonly { readonly reason: string; readonly message: string }[];
  readonly recommendations: readonly Recommendation[];
}

/** As many replicas as the metrics, the windows, the rates and the bounds say (rules: those of the facts of autoscalers). */
export function decide({ autoscaler, scale, pods, readings, memory }: State, options: DecideOptions): Decision {
  const { spec = {}, status = {} } = autoscaler;
  const { minReplicas: min = 1, maxReplicas: max = 1, metrics = [], behavior } = spec;
  const { now } = options;
  const current = scale.specReplicas;
  const notes = conditionsOf(status.conditions ?? [], now);
  notes.set("AbleToScale", "True", {
    reason: "SucceededGetScale",
    message: "the HPA controller was able to get the target's current scale",
  });
  const shown = (desiredReplicas: number, currentMetrics: readonly object[] | null = null) => ({
    ...(status.lastScaleTime === undefined ? {} : { lastScaleTime: status.lastScaleTime }),
    currentReplicas: current,
    desiredReplicas,
    currentMetrics,
    conditions: notes.all(),
  });
  const rescaled = (
    to: number,
    reason: string,
    rest: Pick<Decision, "recommendations" | "failed">,
    seen?: readonly object[],
  ) => ({
    ...(to === current ? {} : { rescale: { to, reason } }),
    status: shown(to, seen),
    ...rest,
  });
  const { recommendations } = memory;
  if (current === 0 && min !== 0) {
    notes.set("ScalingActive", "False", {
      reason: "ScalingDisabled",
      message: "scaling is disabled since the replica count of the target is zero",
    });
    return { status: shown(0), recommendations };
  }
  if (current > max) return rescaled(max, "Current number of replicas above Spec.MaxReplicas", { recommendations });
  if (current < min) return rescaled(min, "Current number of replicas below Spec.MinReplicas", { recommendations });

  const outcomes = metrics.map((metric, i) => outcomeOf(metric, readings[i], { scale, pods, options }));
  const failures = outcomes.filter((each) => each.type === "failed");
  const failedReadings = failures.map(({ metric, why }) => ({ reason: failureReason(metric), message: why }));
  const chosen = highest(outcomes, current);
  if (chosen.type === "none") {
    notes.set("ScalingActive", "False", {
      reason: chosen.reason,
      message: `the HPA was unable to compute the replica count: ${chosen.first}`,
    });
    const [first = "there are no metrics"] = failures.map(({ metric, why }) => `${failurePrefix(metric)}${why}`);
    const message = `invalid metrics (${failures.length} invalid out of ${metrics.length}), first error is: ${first}`;
    const failed = [...failedReadings, { reason: "FailedComputeMetricsReplicas", message }];
    return { status: shown(status.desiredReplicas ?? 0, chosen.seen), recommendations, failed };
  }
  const { replicas: proposed, name } = chosen.best;
  notes.set("ScalingActive", "True", {
    reason: "ValidMetricFound",
    message: `the HPA was able to successfully calculate a replica count from ${name}`,
  });
  const bounds = { current, min, max, downWindowMs: options.downWindowMs, now };
  const limited = limit(proposed, behavior, memory, bounds);
  notes.set("AbleToScale", "True", limited.able);
  notes.set("ScalingLimited", limited.limited.is ? "True" : "False", limited.limited);
  const reason = proposed > current ? `${name} above target` : "All metrics below target";
  const rest = {
    recommendations: limited.recommendations,
    ...(failedReadings.length === 0 ? {} : { failed: failedReadings }),
  };
  return rescaled(limited.replicas, reason, rest, chosen.seen);
}

type Outcome =
  | { readonly type: "proposed"; readonly evaluated: Evaluated }
  | { readonly type: "failed"; readonly metric: MetricSpec; readonly why: string };

function outcomeOf(
  metric: MetricSpec,
  reading: Reading = { type: "failed", why: "it was not read" },
  facts: Parameters<typeof evaluate>[2],
): Outcome {
  try {
    return { type: "proposed", evaluated: evaluate(metric, reading, facts) };
  } catch (error) {
    if (error instanceof MetricProblem) return { type: "failed", metric, why: error.message };
    throw error;
  }
}

type Chosen =
  | { readonly type: "best"; readonly best: Evaluated; readonly seen: readonly object[] }
  | {
      readonly type: "none";
      readonly reason: string;
      readonly first: string;
      readonly seen: readonly object[];
    };

/** The largest of what is proposed; where a metric failed nothing is to shrink. */
function highest(outcomes: readonly Outcome[], current: number): Chosen {
  const proposals = outcomes.flatMap((each) => (each.type === "proposed" ? [each.evaluated] : []));
  const failures = outcomes.flatMap((each) => (each.type === "failed" ? [each] : []));
  // One for each metric: of one that failed nothing is known.
  const seen = outcomes.map((each) => (each.type === "proposed" ? each.evaluated.current : { type: "" }));
  const best = proposals.reduce<Evaluated | undefined>(
    (most, each) => (most === undefined || each.replicas > most.replicas ? each : most),
    undefined,
  );
  const [first] = failures;
  if (best !== undefined && (first === undefined || best.replicas >= current)) return { type: "best", best, seen };
  if (first === undefined) {
    return { type: "none", reason: "InvalidMetricSourceType", first: "there are no metrics", seen };
  }
  return { type: "none", reason: failureReason(first.metric), first: first.why, seen };
}

/** The conditions of a status, as they change while it is decided. */
function conditionsOf(before: readonly Condition[], now: number) {
  let conditions = before;
  return {
    set(
      type: string,
      status: "True" | "False",
      { reason, message }: { readonly reason: string; readonly message: string },
    ) {
      conditions = withCondition(conditions, { type, status, reason, message }, now);
    },
    all: () => conditions,
  };
}

/** The status after the target was given its new number of replicas, or refused it. */
export function afterRescale(
  { status, rescale }: Decision,
  outcome: { readonly ok: true } | { readonly ok: false; readonly why: string; readonly current: number },
  now: number,
): AutoscalerStatus {
  if (rescale === undefined) return status;
  const notes = conditionsOf(status.conditions ?? [], now);
  if (!outcome.ok) {
    notes.set("AbleToScale", "False", {
      reason: "FailedUpdateScale",
      message: `the HPA controller was unable to update the target scale: ${outcome.why}`,
    });
    return { ...status, desiredReplicas: outcome.current, conditions: notes.all() };
  }
  notes.set("AbleToScale", "True", {
    reason: "SucceededRescale",
    message: `the HPA controller was able to update the target scale to ${rescale.to}`,
  });
  return { ...status, lastScaleTime: wireTime(now), conditions: notes.all() };
}

/** The status where something stands in the way of a decision. */
export function withProblem(
  { status = {} }: Autoscaler,
  {
    type,
    reason,
    message,
  }: { readonly type: "AbleToScale" | "ScalingActive"; readonly reason: string; readonly message: string },
  now: number,
): AutoscalerStatus {
  const conditions = withCondition(status.conditions ?? [], { type, status: "False", reason, message }, now);
  const { currentReplicas = 0, desiredReplicas = 0, currentMetrics = null } = status;
  return {
    ...status,
    currentReplicas,
    desiredReplicas,
    currentMetrics,
    conditions,
  };
}
