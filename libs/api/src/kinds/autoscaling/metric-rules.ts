import type { Naming } from "@orch/naming/naming.js";
import { dnsLabel, pathSegment } from "@orch/schema/formats/names.js";
import { compareQuantities } from "@orch/schema/formats/quantity.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { validateContainerResourceName } from "../core/resource-names.js";
import { invalidFor } from "../shared/problems.js";
import { type Metric, type MetricTarget, type ObjectReference, type SourceName, sourceNames } from "./types.js";

const sourceOf: ReadonlyMap<string, SourceName> = new Map([
  ["ContainerResource", "containerResource"],
  ["External", "external"],
  ["Object", "object"],
  ["Pods", "pods"],
  ["Resource", "resource"],
]);

interface Place {
  readonly at: string;
  readonly naming: Naming;
}

export function validateMetrics(metrics: readonly Metric[], minReplicas: number, { at, naming }: Place): FieldError[] {
  const outside = metrics.some(({ type }) => type === "Object" || type === "External");
  const detail = "must specify at least one Object or External metric to support scaling to zero replicas";
  return [
    ...metrics.flatMap((metric, i) => validateMetric(metric, { at: `${at}[${i}]`, naming })),
    ...(minReplicas === 0 && !outside ? [fieldError.forbidden(at, detail)] : []),
  ];
}

function validateMetric(metric: Metric, { at, naming }: Place): FieldError[] {
  const { type = "" } = metric;
  const expected = sourceOf.get(type);
  const present = sourceNames.filter((name) => metric[name] !== undefined);
  const [first] = present;
  const missing = "must populate information for the given metric source";
  // Told before and behind what is wrong with its source, as in the reference.
  const unknown = expected === undefined ? [fieldError.notSupported(`${at}.type`, type, [...sourceOf.keys()])] : [];
  return [
    ...(type === "" ? [fieldError.required(`${at}.type`, "must specify a metric source type")] : []),
    ...unknown,
    ...(first === undefined ? [] : validateSource(metric, first, { at: `${at}.${first}`, naming })),
    ...unknown,
    ...(expected !== undefined && metric[expected] === undefined
      ? [fieldError.required(`${at}.${expected}`, missing)]
      : []),
    ...(present.length === 1 ? [] : present)
      .filter((name) => name !== expected)
      .map((name) => fieldError.forbidden(`${at}.${name}`, "must populate the given metric source only")),
  ];
}

function validateSource(metric: Metric, name: SourceName, { at, naming }: Place): FieldError[] {
  const target = metric[name]?.target ?? {};
  switch (name) {
    case "object":
      return [
        ...validateReference(metric.object?.describedObject ?? {}, `${at}.describedObject`),
        ...validateMetricName(metric.object?.metric?.name ?? "", at),
        ...validateTarget(target, `${at}.target`),
        ...(target.value === undefined && target.averageValue === undefined
          ? [fieldError.required(`${at}.target.averageValue`, "must set either a target value or averageValue")]
          : []),
      ];
    case "external":
      return [
        ...validateMetricName(metric.external?.metric?.name ?? "", at),
        ...validateTarget(target, `${at}.target`),
        ...validateExternalTarget(target, `${at}.target`),
      ];
    case "pods":
      return [
        ...validateMetricName(metric.pods?.metric?.name ?? "", at),
        ...validateTarget(target, `${at}.target`),
        ...(target.averageValue === undefined
          ? [fieldError.required(`${at}.target.averageValue`, "must specify a positive target averageValue")]
          : []),
      ];
    case "resource":
      return [
        ...required(metric.resource?.name ?? "", `${at}.name`, "must specify a resource name"),
        ...validateResourceTarget(target, `${at}.target`),
      ];
    case "containerResource":
      return [
        ...validateContainerResource(metric.containerResource ?? {}, { at, naming }),
        ...validateResourceTarget(target, `${at}.target`),
      ];
  }
}

function required(value: string, at: string, detail: string): FieldError[] {
  return value === "" ? [fieldError.required(at, detail)] : [];
}

/** What an autoscaler scales or measures. */
export function validateReference(reference: ObjectReference, at: string): FieldError[] {
  return (["kind", "name"] as const).flatMap((name) => {
    const value = reference[name] ?? "";
    const place = `${at}.${name}`;
    return value === "" ? [fieldError.required(place)] : invalidFor(place, value, pathSegment(value));
  });
}

function validateMetricName(name: string, at: string): FieldError[] {
  const place = `${at}.metric.name`;
  return name === ""
    ? [fieldError.required(place, "must specify a metric name")]
    : invalidFor(place, name, pathSegment(name));
}

function validateContainerResource(
  { name = "", container = "" }: { readonly name?: string; readonly container?: string },
  { at, naming }: Place,
): FieldError[] {
  return [
    ...required(name, `${at}.name`, "must specify a resource name"),
    ...(name === "" ? [] : validateContainerResourceName(name, `${at}.name`, naming)),
    ...required(container, `${at}.container`, "must specify a container"),
    ...(container === "" ? [] : invalidFor(`${at}.container`, container, dnsLabel(container))),
  ];
}

function validateTarget(
  { type = "", value, averageValue, averageUtilization }: MetricTarget,
  at: string,
): FieldError[] {
  const known = ["Utilization", "Value", "AverageValue"].includes(type);
  return [
    ...required(type, `${at}.type`, "must specify a metric target type"),
    ...(known ? [] : [fieldError.invalid(`${at}.type`, type, "must be either Utilization, Value, or AverageValue")]),
    ...positive(value, `${at}.value`),
    ...positive(averageValue, `${at}.averageValue`),
    ...(averageUtilization !== undefined && averageUtilization < 1
      ? [fieldError.invalid(`${at}.averageUtilization`, averageUtilization, "must be greater than 0")]
      : []),
  ];
}

function positive(value: string | undefined, at: string): FieldError[] {
  if (value === undefined || compareQuantities(value, "0") > 0) return [];
  return [fieldError.invalid(at, value, "must be positive")];
}

function validateExternalTarget({ value, averageValue }: MetricTarget, at: string): FieldError[] {
  if (value === undefined && averageValue === undefined) {
    const detail = "must set either a target value for metric or a per-pod target";
    return [fieldError.required(`${at}.averageValue`, detail)];
  }
  return value !== undefined && averageValue !== undefined
    ? [fieldError.forbidden(`${at}.value`, "may not set both a target value for metric and a per-pod target")]
    : [];
}

function validateResourceTarget(target: MetricTarget, at: string): FieldError[] {
  const { averageUtilization, averageValue } = target;
  const errors = validateTarget(target, at);
  if (averageUtilization === undefined && averageValue === undefined) {
    const detail = "must set either a target raw value or a target utilization";
    errors.push(fieldError.required(`${at}.averageUtilization`, detail));
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    const detail = "may not set both a target raw value and a target utilization";
    errors.push(fieldError.forbidden(`${at}.averageValue`, detail));
  }
  return errors;
}
