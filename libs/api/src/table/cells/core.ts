import type { ApiObject } from "../../object.js";
import { type Cells, cell } from "../cell.js";

interface ComponentStatus extends ApiObject {
  readonly conditions?: readonly ComponentCondition[];
}

interface ComponentCondition {
  readonly type?: string;
  readonly status?: string;
  readonly message?: string;
  readonly error?: string;
}

interface ResourceQuota extends ApiObject {
  readonly status?: {
    readonly hard?: Readonly<Record<string, string>>;
    readonly used?: Readonly<Record<string, string>>;
  };
}

export const coreCells: Cells = [
  ["componentStatus", cell<ComponentStatus>(componentStatus)],
  ["componentMessage", cell<ComponentStatus>((component) => healthOf(component)?.message ?? "")],
  ["componentError", cell<ComponentStatus>((component) => healthOf(component)?.error ?? "")],
  ["quotaRequests", cell<ResourceQuota>((quota) => used(quota, (name) => !isLimit(name)))],
  ["quotaLimits", cell<ResourceQuota>((quota) => used(quota, isLimit))],
];

function healthOf({ conditions = [] }: ComponentStatus): ComponentCondition | undefined {
  return conditions.find((c) => c.type === "Healthy");
}

function componentStatus(component: ComponentStatus): string {
  const health = healthOf(component);
  if (health === undefined) return "Unknown";
  return health.status === "True" ? "Healthy" : "Unhealthy";
}

function isLimit(name: string): boolean {
  return name.startsWith("limits.");
}

/** `cpu: 1/2, pods: 3/10`. */
function used({ status }: ResourceQuota, wanted: (name: string) => boolean): string {
  const taken = new Map(Object.entries(status?.used ?? {}));
  const bounds = Object.entries(status?.hard ?? {}).filter(([name]) => wanted(name));
  const texts = bounds.map(([name, bound]) => `${name}: ${taken.get(name) ?? "0"}/${bound}`);
  return texts.sort().join(", ");
}
