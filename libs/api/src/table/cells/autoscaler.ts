import type { ApiObject } from "../../object.js";
import { type Cells, cell, firstOf, none } from "../cell.js";

interface Amount {
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: number;
}

/** What the metric types have in common: a target in the spec, a current value in the status. */
interface Source {
  readonly name?: string;
  readonly target?: Amount;
  readonly current?: Amount;
}

interface Metric {
  readonly type?: string;
  readonly resource?: Source;
  readonly containerResource?: Source;
  readonly pods?: Source;
  readonly object?: Source;
  readonly external?: Source;
}

interface HorizontalPodAutoscaler extends ApiObject {
  readonly spec?: { readonly metrics?: readonly Metric[] };
  readonly status?: { readonly currentMetrics?: readonly Metric[] };
}

export const autoscalerCells: Cells = [["autoscalerTargets", cell<HorizontalPodAutoscaler>(targets)]];

const shown = 2;

function targets({ spec, status }: HorizontalPodAutoscaler): string {
  const metrics = spec?.metrics ?? [];
  if (metrics.length === 0) return none;
  const texts = metrics.map((metric, i) => targetText(metric, status?.currentMetrics?.[i] ?? {}));
  return firstOf(texts, shown, ", ");
}

/** `current/target` in the terms of the target. */
function targetText(metric: Metric, current: Metric): string {
  switch (metric.type) {
    case "Resource":
      return resourceText(metric.resource, current.resource?.current);
    case "ContainerResource":
      return resourceText(metric.containerResource, current.containerResource?.current);
    case "Pods":
      return ratio(current.pods?.current?.averageValue, metric.pods?.target?.averageValue);
    case "Object":
      return valueText(metric.object?.target, current.object?.current);
    case "External":
      return valueText(metric.external?.target, current.external?.current);
    default:
      return "<unknown type>";
  }
}

function resourceText({ name = "", target = {} }: Source = {}, current: Amount = {}): string {
  if (target.averageValue !== undefined) return `${name}: ${ratio(current.averageValue, target.averageValue)}`;
  return `${name}: ${ratio(percent(current.averageUtilization), percent(target.averageUtilization) ?? "<auto>")}`;
}

function percent(share: number | undefined): string | undefined {
  return share === undefined ? undefined : `${share}%`;
}

function valueText(target: Amount = {}, current: Amount = {}): string {
  if (target.averageValue === undefined) return ratio(current.value, target.value);
  return `${ratio(current.averageValue, target.averageValue)} (avg)`;
}

function ratio(current: string | undefined, target: string | undefined): string {
  return `${current ?? "<unknown>"}/${target ?? "<unset>"}`;
}
