import { compileSelector } from "@orch/api/kinds/shared/label-selector.js";
import { formatLabelSelector } from "@orch/api/selectors/labels.js";
import type { Client } from "@orch/client/client.js";
import type { ApiResources } from "@orch/client/discovery.js";
import { isRecord, pathOf } from "@orch/client/objects.js";
import type { Naming } from "@orch/naming/naming.js";
import { durationMs } from "@orch/schema/formats/duration.js";
import { ApiError } from "@orch/status/api-error.js";
import { messageOf } from "@orch/status/message-of.js";
import { readJson } from "@orch/status/read-json.js";
import { timeOf } from "../rim/objects.js";
import type { LabelSelector } from "../rim/selection.js";
import type { Reading } from "./evaluate.js";
import { MetricProblem, type PodMetric } from "./proposal.js";
import { milliOf } from "./quantities.js";
import type { MetricSpec, TargetReference } from "./types.js";

export interface MetricsReaderDeps {
  readonly client: Pick<Client, "raw">;
  readonly naming: Naming;
}

/** Of which objects a metric is read. */
export interface MetricSubject {
  readonly namespace: string;
  /** Label selector of the target's pods. */
  readonly selector: string;
  readonly served: ApiResources;
}

/** Reads one metric from the API that has it, which an aggregated server serves. Never rejects but for the signal's reason. */
export type ReadMetric = (spec: MetricSpec, subject: MetricSubject, signal: AbortSignal) => Promise<Reading>;

export function createMetricsReader({ client, naming }: MetricsReaderDeps): ReadMetric {
  const [resourceGroup, customGroup, externalGroup] = ["metrics", "custom.metrics", "external.metrics"].map(
    naming.group,
  );

  const items = async (what: Asked, signal: AbortSignal): Promise<readonly Item[]> => {
    try {
      const { body } = await client.raw({ method: "GET", path: what.path, query: what.query, signal });
      return itemsOf(readJson(body.toString("utf8")));
    } catch (error) {
      if (signal.aborted) throw error;
      // As clients say it of what is not served at all.
      const isUnserved = error instanceof ApiError && error.reason === "NotFound" && error.details?.name === undefined;
      const which = isUnserved && what.asked !== undefined ? ` (get ${what.asked})` : "";
      throw new MetricProblem(`unable to fetch metrics from ${what.api} metrics API: ${messageOf(error)}${which}`);
    }
  };
  const ofResource = async (
    resource: string,
    container: string | undefined,
    { namespace, selector }: MetricSubject,
    signal: AbortSignal,
  ): Promise<Reading> => {
    const path = pathOf({ group: resourceGroup ?? "", version: "v1beta1", resource: "pods", namespace });
    const what = `unable to get metrics for resource ${resource}`;
    const asked = `pods.${resourceGroup}`;
    const found = await items({ path, query: { labelSelector: selector }, api: "resource", asked }, signal).catch(
      behind(what),
    );
    if (found.length === 0) throw new MetricProblem(`${what}: no metrics returned from resource metrics API`);
    return podsReading(found.flatMap((item) => podUsage(item, resource, container)));
  };
  const ofPods = async (spec: MetricSpec, { namespace, selector, served }: MetricSubject, signal: AbortSignal) => {
    const { name = "", selector: metricSelector } = spec.pods?.metric ?? {};
    const path = `${customRoot(served)}/namespaces/${encoded(namespace)}/pods/*/${encoded(name)}`;
    const query = { labelSelector: selector, ...metricQuery(metricSelector) };
    const what = `unable to get metric ${name}`;
    const found = await items({ path, query, api: "custom" }, signal).catch(behind(what));
    if (found.length === 0) throw new MetricProblem(`${what}: no metrics returned from custom metrics API`);
    return podsReading(found.flatMap(podValue));
  };
  const ofObject = async (spec: MetricSpec, { namespace, served }: MetricSubject, signal: AbortSignal) => {
    const { describedObject, metric } = spec.object ?? {};
    if (describedObject === undefined || metric === undefined) throw new MetricProblem("invalid metric source");
    const path = `${customRoot(served)}/namespaces/${objectPath(describedObject, namespace, served)}/${encoded(metric.name)}`;
    const what = `unable to get metric ${metric.name}: ${describedObject.kind} on ${namespace} ${describedObject.name}`;
    const [first] = await items({ path, query: metricQuery(metric.selector), api: "custom" }, signal).catch(
      behind(what),
    );
    const milli = milliOf(first?.value);
    if (milli === undefined) throw new MetricProblem(`${what}: no metrics returned from custom metrics API`);
    return { type: "value", milli } as const;
  };
  const ofExternal = async (spec: MetricSpec, { namespace }: MetricSubject, signal: AbortSignal): Promise<Reading> => {
    const { name = "", selector } = spec.external?.metric ?? {};
    const path = pathOf({ group: externalGroup ?? "", version: "v1beta1", resource: name, namespace });
    const what = `unable to get external metric ${namespace}/${name}`;
    const query = selector === undefined ? {} : { labelSelector: textOf(selector) };
    const asked = `${name}.${externalGroup}`;
    const found = await items({ path, query, api: "external", asked }, signal).catch(behind(what));
    if (found.length === 0) throw new MetricProblem(`${what}: no metrics returned from external metrics API`);
    return { type: "value", milli: found.reduce((sum, { value }) => sum + (milliOf(value) ?? 0), 0) };
  };
  /** The newest version that is served, or the one that is spoken where nothing is known of it. */
  const customRoot = ({ all }: ApiResources): string => {
    const isOld = all.some(({ group, version }) => group === customGroup && version === "v1beta1");
    const isNew = all.some(({ group, version }) => group === customGroup && version === "v1beta2");
    return `/apis/${customGroup}/${isOld && !isNew ? "v1beta1" : "v1beta2"}`;
  };

  const read: ReadMetric = (spec, subject, signal) => {
    switch (spec.type) {
      case "Resource":
        return ofResource(spec.resource?.name ?? "", undefined, subject, signal);
      case "ContainerResource":
        return ofResource(spec.containerResource?.name ?? "", spec.containerResource?.container, subject, signal);
      case "Pods":
        return ofPods(spec, subject, signal);
      case "Object":
        return ofObject(spec, subject, signal);
      case "External":
        return ofExternal(spec, subject, signal);
      default:
        return Promise.resolve({ type: "failed", why: "it is of no known type" });
    }
  };
  return async (spec, subject, signal) => {
    try {
      return await read(spec, subject, signal);
    } catch (error) {
      if (error instanceof MetricProblem) return { type: "failed", why: error.message };
      throw error;
    }
  };
}

interface Asked {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly api: "resource" | "custom" | "external";
  /** The resource and its group. */
  readonly asked?: string;
}

interface Item extends Readonly<Record<string, unknown>> {}

const encoded = encodeURIComponent;

function behind(what: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof MetricProblem) throw new MetricProblem(`${what}: ${error.message}`);
    throw error;
  };
}

/** @throws MetricProblem */
function itemsOf(list: unknown): readonly Item[] {
  const items: unknown = isRecord(list) ? (list["items"] ?? []) : undefined;
  if (Array.isArray(items) && items.every(isRecord)) return items;
  throw new MetricProblem("the answer is no list of metrics");
}

function textOf(selector: LabelSelector): string {
  const compiled = compileSelector(selector);
  if (compiled === undefined) throw new MetricProblem("the metric's selector is not valid");
  return formatLabelSelector(compiled);
}

const metricQuery = (selector: LabelSelector | undefined): Readonly<Record<string, string>> =>
  selector === undefined ? {} : { metricLabelSelector: textOf(selector) };

/** `ns/services/web`; of a namespace `ns/metrics`. */
function objectPath(
  { apiVersion = "v1", kind, name }: TargetReference,
  namespace: string,
  { all }: ApiResources,
): string {
  if (kind === "Namespace") return `${encoded(name)}/metrics`;
  const [version = "", group = ""] = apiVersion.split("/").toReversed();
  const found = all.find(
    (each) => each.kind === kind && each.group === group && (each.version === version || version === ""),
  );
  if (found === undefined) throw new MetricProblem(`no matches for kind "${kind}" in version "${apiVersion}"`);
  const resource = group === "" ? found.resource : `${found.resource}.${group}`;
  return `${encoded(namespace)}/${encoded(resource)}/${encoded(name)}`;
}

function podsReading(entries: readonly (readonly [string, PodMetric])[]): Reading {
  return { type: "pods", metrics: new Map(entries) };
}

/** What a pod uses of a resource, in one of its containers or in all; nothing where one of them does not say. */
function podUsage(
  item: Item,
  resource: string,
  container: string | undefined,
): readonly (readonly [string, PodMetric])[] {
  const { metadata, containers, timestamp, window } = item;
  const name = isRecord(metadata) ? metadata["name"] : undefined;
  if (typeof name !== "string" || !Array.isArray(containers)) return [];
  const wanted = containers.filter((each) => isRecord(each) && (container === undefined || each["name"] === container));
  let milli = 0;
  for (const each of wanted) {
    const used = milliOf(isRecord(each) && isRecord(each["usage"]) ? each["usage"][resource] : undefined);
    if (used === undefined) return [];
    milli += used;
  }
  if (wanted.length === 0) return [];
  const windowMs = typeof window === "string" ? (durationMs(window) ?? 0) : 0;
  return [[name, { milli, at: timeOf(timestamp), windowMs }]];
}

const defaultWindowMs = 60_000;

function podValue({
  describedObject,
  value,
  timestamp,
  windowSeconds,
}: Item): readonly (readonly [string, PodMetric])[] {
  const name = isRecord(describedObject) ? describedObject["name"] : undefined;
  const milli = milliOf(value);
  if (typeof name !== "string" || milli === undefined) return [];
  const windowMs = typeof windowSeconds === "number" ? windowSeconds * 1000 : defaultWindowMs;
  return [[name, { milli, at: timeOf(timestamp), windowMs }]];
}
