import type { PodInfo } from "@orch/scheduling/model/pod-info.js";
import { podResources } from "@orch/scheduling/model/requests.js";

export interface ResourcesPage {
  /** That have not ended. */
  readonly pods: Iterable<PodInfo>;
}

const families = [
  ["kube_pod_resource_limit", "limits", "Most that pods may use, by resource."],
  ["kube_pod_resource_request", "requests", "What pods ask for at their hungriest, by resource."],
] as const;

/** What pods ask for and may use, as the reference's `/metrics/resources`: a line for each resource of each pod. */
export function resourcesPage({ pods }: ResourcesPage): string {
  const sorted = [...pods].sort((a, b) => (a.key < b.key ? -1 : 1));
  const lines = families.flatMap(([name, part, help]) => [
    `# HELP ${name} [STABLE] ${help}`,
    `# TYPE ${name} gauge`,
    ...sorted.flatMap((pod) => linesOf(name, part, pod)),
  ]);
  return `${lines.join("\n")}\n`;
}

function linesOf(name: string, part: "limits" | "requests", pod: PodInfo): readonly string[] {
  const { namespace, nodeName, schedulerName, priority, raw } = pod;
  const hasPriority = raw.spec?.priority !== undefined;
  const own = { namespace, pod: pod.name, node: nodeName, scheduler: schedulerName };
  const entries = [...podResources(raw.spec, part)].filter(([, value]) => value > 0).sort(byName);
  return entries.map(([resource, value]) => {
    const labels = { ...own, priority: hasPriority ? String(priority) : "", resource, unit: unitOf(resource) };
    const texts = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`);
    return `${name}{${texts.join(",")}} ${resource === "cpu" ? value / 1000 : value}`;
  });
}

const byName = ([a]: readonly [string, number], [b]: readonly [string, number]): number => (a < b ? -1 : 1);

function unitOf(resource: string): string {
  if (resource === "cpu") return "cores";
  const isBytes = ["memory", "storage", "ephemeral-storage"].includes(resource) || resource.startsWith("hugepages-");
  return isBytes ? "bytes" : "integer";
}
