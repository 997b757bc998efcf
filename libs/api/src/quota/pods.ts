import type { Naming } from "@orch/naming/naming.js";
import type { PodAffinityTerm } from "../kinds/core/pod/affinity-types.js";
import { qosClass } from "../kinds/core/pod/qos.js";
import { podTotals } from "../kinds/core/pod/totals.js";
import type { Container, Pod, PodSpec } from "../kinds/core/pod/types.js";
import { isExtended, isNative } from "../kinds/core/resource-names.js";
import type { Resources } from "../kinds/core/resources.js";
import { added } from "./amounts.js";
import type { QuotaEvaluator, ScopeRequirement } from "./types.js";

const compute = ["cpu", "memory", "ephemeral-storage"];
/** What every container must speak of where it is limited: an old rule of these alone. */
const demanded: ReadonlySet<string> = new Set(
  ["cpu", "memory"].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
);
const known: ReadonlySet<string> = new Set([
  ...["pods", "count/pods"],
  ...compute.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);

/** Pods are counted, and measured until they end. */
export function podEvaluator(naming: Naming): QuotaEvaluator {
  return {
    countsUpdates: false,
    matching: (names) =>
      names.filter(
        (name) =>
          known.has(name) ||
          name.startsWith("hugepages-") ||
          name.startsWith("requests.hugepages-") ||
          (name.startsWith("requests.") && !isNative(name, naming)),
      ),
    isIn: (requirement, object) => isIn(requirement, object),
    usage: (pod, now) => (hasEnded(pod, now) ? counted : added(counted, usageOf(pod, naming))),
    missing: (names, pod) => missingText(names, pod, naming),
  };
}

const counted: Resources = { "count/pods": "1" };

/** One that has done its work, or should be gone by now, uses nothing. */
function hasEnded({ metadata, status }: Pod, now: number): boolean {
  if (status?.phase === "Failed" || status?.phase === "Succeeded") return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return now > Date.parse(deletionTimestamp) + Number(deletionGracePeriodSeconds) * 1000;
}

function usageOf({ spec = {} }: Pod, naming: Naming): Resources {
  const { requests, limits } = podTotals(spec);
  const overhead = spec.overhead ?? {};
  // What is not limited stays so: overhead alone is no limit.
  const bounded = Object.keys(limits).length === 0 ? limits : added(limits, pick(overhead, Object.keys(limits)));
  return { pods: "1", ...computeUsage(added(requests, overhead), bounded, naming) };
}

function pick(resources: Resources, names: readonly string[]): Resources {
  return Object.fromEntries(Object.entries(resources).filter(([name]) => names.includes(name)));
}

function computeUsage(requests: Resources, limits: Resources, naming: Naming): Resources {
  const used = new Map<string, string>();
  for (const [name, amount] of Object.entries(requests)) {
    if (compute.includes(name) || name.startsWith("hugepages-")) used.set(name, amount).set(`requests.${name}`, amount);
    else if (isExtended(name, naming)) used.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of Object.entries(limits)) if (compute.includes(name)) used.set(`limits.${name}`, amount);
  return Object.fromEntries(used);
}

/** An answer has room for so many names of containers. */
const mostNames = 100;

function missingText(names: readonly string[], { spec = {} }: Pod, naming: Naming): string | undefined {
  const required = names.filter((name) => demanded.has(name)).sort();
  if (required.length === 0) return undefined;
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const said = new Map(containers.map((container) => [container, new Set(Object.keys(saidBy(container, naming)))]));
  const parts = required.flatMap((name) => {
    const silent = containers.filter((container) => said.get(container)?.has(name) !== true);
    const who = [...new Set(silent.map((container) => container.name ?? ""))].sort();
    if (who.length === 0) return [];
    const more = who.length > mostNames ? ` and ${who.length - mostNames} more` : "";
    return `${name} for: ${who.slice(0, mostNames).join(",")}${more}`;
  });
  return parts.length === 0 ? undefined : `must specify ${parts.join("; ")}`;
}

function saidBy({ resources }: Container, naming: Naming): Resources {
  return computeUsage(resources?.requests ?? {}, resources?.limits ?? {}, naming);
}

function isIn(requirement: ScopeRequirement, { spec = {} }: Pod): boolean {
  const terminates = spec.activeDeadlineSeconds !== undefined && spec.activeDeadlineSeconds >= 0;
  switch (requirement.scopeName) {
    case "Terminating":
      return terminates;
    case "NotTerminating":
      return !terminates;
    case "BestEffort":
      return qosClass(spec) === "BestEffort";
    case "NotBestEffort":
      return qosClass(spec) !== "BestEffort";
    case "PriorityClass":
      return isOfClass(requirement, spec);
    case "CrossNamespacePodAffinity":
      return affinityTerms(spec).some(
        ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined,
      );
    default:
      return false;
  }
}

function isOfClass({ operator, values = [] }: ScopeRequirement, spec: PodSpec): boolean {
  const { priorityClassName: name = "" }: PodSpec & { readonly priorityClassName?: string } = spec;
  switch (operator) {
    case "Exists":
      return name !== "";
    case "DoesNotExist":
      return name === "";
    case "In":
      return name !== "" && values.includes(name);
    case "NotIn":
      return name === "" || !values.includes(name);
    default:
      return false;
  }
}

function affinityTerms({ affinity }: PodSpec): readonly PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((given) => [
    ...(given?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(given?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(
      ({ podAffinityTerm: term }) => term ?? [],
    ),
  ]);
}
