import type { Pod, SeenContainer } from "../rim/pods.js";
import {
  MetricProblem,
  type PodMetrics,
  type PodTarget,
  type Proposal,
  type ProposalOptions,
  proposeByPods,
  proposeByShare,
  proposeByValue,
} from "./proposal.js";
import { milliOf, quantityOf } from "./quantities.js";
import type { MetricSpec, MetricTarget } from "./types.js";

/** What the metrics APIs tell of one metric. */
export type Reading =
  | { readonly type: "pods"; readonly metrics: PodMetrics }
  /** One value for all pods, in thousandths. */
  | { readonly type: "value"; readonly milli: number }
  | { readonly type: "failed"; readonly why: string };

/** What the target says of itself. */
export interface Scale {
  readonly specReplicas: number;
  readonly statusReplicas: number;
}

export interface Evaluated {
  readonly replicas: number;
  /** `cpu resource utilization (percentage of request)`. */
  readonly name: string;
  /** For `status.currentMetrics`. */
  readonly current: object;
}

interface Facts {
  readonly scale: Scale;
  readonly pods: readonly Pod[];
  readonly options: ProposalOptions;
}

/** What a metric proposes. @throws MetricProblem */
export function evaluate(spec: MetricSpec, reading: Reading, facts: Facts): Evaluated {
  switch (spec.type) {
    case "Resource":
      return byResource(spec, spec.resource, reading, facts);
    case "ContainerResource":
      return byResource(spec, spec.containerResource, reading, facts);
    case "Pods":
      return byPodsMetric(spec, reading, facts);
    case "Object":
    case "External":
      return byOneValue(spec, reading, facts);
    default:
      throw new MetricProblem(`unknown metric source type ${JSON.stringify(spec.type)}`);
  }
}

/** Why the status says `ScalingActive: False` of a metric without a proposal. */
export function failureReason({ type }: MetricSpec): string {
  const reasons: Readonly<Record<string, string>> = {
    Resource: "FailedGetResourceMetric",
    ContainerResource: "FailedGetContainerResourceMetric",
    Pods: "FailedGetPodsMetric",
    Object: "FailedGetObjectMetric",
    External: "FailedGetExternalMetric",
  };
  return reasons[type] ?? "InvalidMetricSourceType";
}

/** What an event says before why a metric has no proposal. */
export function failurePrefix({ type, resource, containerResource, external }: MetricSpec): string {
  const sources: Readonly<Record<string, string>> = {
    Resource: `${resource?.name} resource metric`,
    ContainerResource: `${containerResource?.container} container metric`,
    Pods: "pods metric",
    Object: "object metric",
    External: `${external?.metric.name} external metric`,
  };
  const source = sources[type];
  return source === undefined ? "" : `failed to get ${source} value: `;
}

/** As near as a field of 32 bits comes to it. */
const inField = (percent: number): number => Math.max(-(2 ** 31), Math.min(percent, 2 ** 31 - 1));

interface ResourceSource {
  readonly name: string;
  readonly container?: string;
  readonly target: MetricTarget;
}

function byResource(
  { type }: MetricSpec,
  source: ResourceSource | undefined,
  reading: Reading,
  { scale, pods, options }: Facts,
): Evaluated {
  if (source === undefined) throw new MetricProblem("invalid metric source");
  const { name, container, target } = source;
  const field = type === "Resource" ? "resource" : "containerResource";
  const shown = (current: object) => ({
    type,
    [field]: { name, ...(container === undefined ? {} : { container }), current },
  });
  const propose = (what: string, wanted: () => PodTarget): Proposal => {
    try {
      return proposeByPods(
        scale.specReplicas,
        { pods, metrics: podsOf(reading), target: wanted(), isCpu: name === "cpu" },
        options,
      );
    } catch (error) {
      if (error instanceof MetricProblem) throw new MetricProblem(`failed to get ${name} ${what}: ${error.message}`);
      throw error;
    }
  };
  const average = milliOf(target.averageValue);
  if (average !== undefined) {
    const { replicas, averageMilli } = propose("usage", () => ({ type: "average", milli: average }));
    return { replicas, name: `${name} resource`, current: shown({ averageValue: quantityOf(averageMilli) }) };
  }
  const percent = target.averageUtilization;
  if (percent === undefined) {
    throw new MetricProblem(
      "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set",
    );
  }
  const found = propose("utilization", () => ({
    type: "utilization",
    percent,
    requests: requestsOf(pods, name, container),
  }));
  return {
    replicas: found.replicas,
    name: `${name} resource utilization (percentage of request)`,
    current: shown({
      averageUtilization: inField(found.utilization ?? 0),
      averageValue: quantityOf(found.averageMilli),
    }),
  };
}

function podsOf(reading: Reading): PodMetrics {
  if (reading.type === "pods") return reading.metrics;
  throw new MetricProblem(reading.type === "failed" ? reading.why : "no metrics of pods");
}

/** What each pod requests of a resource, in thousandths. @throws MetricProblem where one requests nothing */
function requestsOf(
  pods: readonly Pod[],
  resource: string,
  container: string | undefined,
): ReadonlyMap<string, number> {
  const requests = new Map<string, number>();
  for (const { metadata, spec } of pods) {
    // Containers that begin first and go on count as the others do.
    const beside = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
    let sum = 0;
    for (const each of [...(spec?.containers ?? []), ...beside]) {
      if (container !== undefined && each.name !== container) continue;
      sum += requestOf(each, resource, metadata.name ?? "");
    }
    requests.set(metadata.name ?? "", sum);
  }
  return requests;
}

function requestOf({ name = "", resources }: SeenContainer, resource: string, pod: string): number {
  const request = milliOf(resources?.requests?.[resource]);
  if (request !== undefined) return request;
  throw new MetricProblem(`missing request for ${resource} in container ${name} of Pod ${pod}`);
}

function byPodsMetric(spec: MetricSpec, reading: Reading, { scale, pods, options }: Facts): Evaluated {
  const { metric, target } = spec.pods ?? {};
  const milli = milliOf(target?.averageValue);
  if (metric === undefined || milli === undefined) throw new MetricProblem("invalid metric source");
  const facts = { pods, metrics: podsOf(reading), target: { type: "average", milli }, isCpu: false } as const;
  const { replicas, averageMilli } = proposeByPods(scale.specReplicas, facts, options);
  return {
    replicas,
    name: `pods metric ${metric.name}`,
    current: { type: "Pods", pods: { metric, current: { averageValue: quantityOf(averageMilli) } } },
  };
}

function byOneValue(spec: MetricSpec, reading: Reading, { scale, pods, options }: Facts): Evaluated {
  const { metric, target } = spec.object ?? spec.external ?? {};
  if (metric === undefined || target === undefined) throw new MetricProblem("invalid metric source");
  const what = spec.object === undefined ? `external metric ${metric.name}` : `object metric ${metric.name}`;
  const name = spec.object === undefined ? what : `${spec.object.describedObject.kind} metric ${metric.name}`;
  const shown = (current: object): object =>
    spec.object === undefined
      ? { type: "External", external: { metric, current } }
      : { type: "Object", object: { describedObject: spec.object.describedObject, metric, current } };
  const isShare = target.type === "AverageValue";
  const externally = isShare ? `failed to get ${metric.name} external metric` : `failed to get ${what}`;
  const milli = spec.object === undefined ? prefixed(externally, () => oneValueOf(reading)) : oneValueOf(reading);
  const share = milliOf(target.averageValue);
  if (isShare && share !== undefined) {
    const { replicas, averageMilli } = proposeByShare(scale.statusReplicas, { milli, target: share }, options);
    return { replicas, name, current: shown({ averageValue: quantityOf(averageMilli) }) };
  }
  const wanted = milliOf(target.value);
  if (wanted === undefined) {
    throw new MetricProblem(
      `invalid ${spec.type.toLowerCase()} metric source: neither a value target nor an average value target was set`,
    );
  }
  const replicas = proposeByValue(scale.specReplicas, { milli, target: wanted, pods }, options);
  return { replicas, name, current: shown({ value: quantityOf(milli) }) };
}

function oneValueOf(reading: Reading): number {
  if (reading.type === "value") return reading.milli;
  throw new MetricProblem(reading.type === "failed" ? reading.why : "no value");
}

function prefixed<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof MetricProblem) throw new MetricProblem(`${what}: ${error.message}`);
    throw error;
  }
}
