import { timeOf } from "../rim/objects.js";
import { conditionOf, isReady, type Pod } from "../rim/pods.js";

/** What a pod uses, in thousandths of the metric's unit. */
export interface PodMetric {
  readonly milli: number;
  /** Milliseconds since 1970 of the end of the window that it was measured in. */
  readonly at: number;
  readonly windowMs: number;
}

/** By the pod's name. */
export type PodMetrics = ReadonlyMap<string, PodMetric>;

export interface ProposalOptions {
  /** A ratio of current to wanted that is nearer to 1 changes nothing. */
  readonly tolerance: number;
  /** What a pod uses of the processor so long after its start may be its start. */
  readonly cpuInitializationMs: number;
  /** A pod that becomes unready so soon after its start was never ready. */
  readonly initialReadinessMs: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Pods by what their metrics are good for. */
export interface Groups {
  readonly ready: number;
  readonly unready: ReadonlySet<string>;
  readonly missing: ReadonlySet<string>;
  readonly ignored: ReadonlySet<string>;
}

const nameOf = ({ metadata }: Pod): string => metadata.name ?? "";

/** `isCpu`: a pod that begins uses more of the processor than it will. */
export function groupPods(
  pods: readonly Pod[],
  metrics: PodMetrics,
  options: ProposalOptions & { readonly isCpu: boolean },
): Groups {
  let ready = 0;
  const [unready, missing, ignored] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const pod of pods) {
    const { deletionTimestamp } = pod.metadata;
    const metric = metrics.get(nameOf(pod));
    if (deletionTimestamp !== undefined || pod.status?.phase === "Failed") ignored.add(nameOf(pod));
    else if (pod.status?.phase === "Pending") unready.add(nameOf(pod));
    else if (metric === undefined) missing.add(nameOf(pod));
    else if (options.isCpu && isStarting(pod, metric, options)) unready.add(nameOf(pod));
    else ready += 1;
  }
  return { ready, unready, missing, ignored };
}

function isStarting(
  pod: Pod,
  metric: PodMetric,
  { cpuInitializationMs, initialReadinessMs, now }: ProposalOptions,
): boolean {
  const condition = conditionOf(pod, "Ready");
  if (condition === undefined || pod.status?.startTime === undefined) return true;
  const [started, changed] = [timeOf(pod.status.startTime), timeOf(condition.lastTransitionTime)];
  const isUnready = condition.status === "False";
  if (started + cpuInitializationMs > now) return isUnready || metric.at < changed + metric.windowMs;
  return isUnready && started + initialReadinessMs > changed;
}

/** What the pods of a target should use: a share of what each requests, or as much each. */
export type PodTarget =
  | { readonly type: "utilization"; readonly percent: number; readonly requests: ReadonlyMap<string, number> }
  | { readonly type: "average"; readonly milli: number };

/** How many pods there should be, and what is used now. */
export interface Proposal {
  readonly replicas: number;
  /** Of requests, in percent, where the target is one. */
  readonly utilization?: number;
  readonly averageMilli: number;
}

/** Why there is no proposal, as the condition tells it. */
export class MetricProblem extends Error {}

interface Usage {
  /** Of what is used to what is wanted. */
  readonly ratio: number;
  readonly utilization?: number;
  readonly averageMilli: number;
}

/**
 * By the metrics of pods. Those that are not ready, or of which nothing is known, count for the side on which nothing
 * happens: as idle before growing, as busy before shrinking; and where that would turn the direction nothing changes.
 * @throws MetricProblem
 */
export function proposeByPods(
  current: number,
  {
    pods,
    metrics,
    target,
    isCpu,
  }: {
    readonly pods: readonly Pod[];
    readonly metrics: PodMetrics;
    readonly target: PodTarget;
    readonly isCpu: boolean;
  },
  options: ProposalOptions,
): Proposal {
  if (pods.length === 0) throw new MetricProblem("no pods returned by selector while calculating replica count");
  const { ready, unready, missing, ignored } = groupPods(pods, metrics, { ...options, isCpu });
  const used = new Map<string, number>();
  for (const [name, { milli }] of metrics) if (!ignored.has(name) && !unready.has(name)) used.set(name, milli);
  if (used.size === 0) {
    throw new MetricProblem("did not receive metrics for targeted pods (pods might be unready)");
  }
  const before = usageOf(used, target);
  const told = {
    averageMilli: before.averageMilli,
    ...(before.utilization === undefined ? {} : { utilization: before.utilization }),
  };
  const grows = before.ratio > 1;
  const withUnready = unready.size > 0 && grows;
  if (!withUnready && missing.size === 0) {
    return { replicas: isNear(before.ratio, options) ? current : Math.ceil(before.ratio * ready), ...told };
  }
  if (before.ratio !== 1) for (const name of missing) used.set(name, grows ? 0 : busy(name, target));
  if (withUnready) for (const name of unready) used.set(name, 0);
  const { ratio } = usageOf(used, target);
  const turned = (before.ratio < 1 && ratio > 1) || (grows && ratio < 1);
  if (isNear(ratio, options) || turned) return { replicas: current, ...told };
  const replicas = Math.ceil(ratio * used.size);
  const wrongWay = (ratio < 1 && replicas > current) || (ratio > 1 && replicas < current);
  return { replicas: wrongWay ? current : replicas, ...told };
}

function usageOf(used: ReadonlyMap<string, number>, target: PodTarget): Usage {
  let sum = 0;
  for (const milli of used.values()) sum += milli;
  const averageMilli = Math.trunc(sum / used.size);
  if (target.type === "average") return { ratio: averageMilli / target.milli, averageMilli };
  let requested = 0;
  let measured = 0;
  for (const [name, milli] of used) {
    const request = target.requests.get(name);
    // Metrics of pods that are gone count for nothing.
    if (request === undefined) continue;
    measured += milli;
    requested += request;
  }
  if (requested === 0) throw new MetricProblem("no metrics returned matched known pods");
  const utilization = Math.trunc((measured * 100) / requested);
  return { ratio: utilization / target.percent, utilization, averageMilli };
}

/** What a pod counts as that may be fully busy. */
function busy(name: string, target: PodTarget): number {
  if (target.type === "average") return target.milli;
  return ((target.requests.get(name) ?? 0) * Math.max(100, target.percent)) / 100;
}

const isNear = (ratio: number, { tolerance }: Pick<ProposalOptions, "tolerance">): boolean =>
  Math.abs(1 - ratio) <= tolerance;

/** By one value for all pods: `milli / target` times as many as are ready. */
export function proposeByValue(
  current: number,
  { milli, target, pods }: { readonly milli: number; readonly target: number; readonly pods: readonly Pod[] },
  options: Pick<ProposalOptions, "tolerance">,
): number {
  const ratio = milli / target;
  if (current === 0) return Math.ceil(ratio);
  if (isNear(ratio, options)) return current;
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isReady(pod)).length;
  return Math.ceil(ratio * ready);
}

/** By what each pod should have of one value: `replicas` are those that the target says it has. */
export function proposeByShare(
  replicas: number,
  { milli, target }: { readonly milli: number; readonly target: number },
  options: Pick<ProposalOptions, "tolerance">,
): Proposal {
  const proposed = replicas > 0 && isNear(milli / (target * replicas), options) ? replicas : Math.ceil(milli / target);
  return { replicas: proposed, averageMilli: replicas === 0 ? milli : Math.ceil(milli / replicas) };
}
