import type { Condition } from "../../kinds/shared/conditions.js";
import type { ApiObject } from "../../object.js";
import { type Cells, cell, cellWith, none } from "../cell.js";

interface Node extends ApiObject {
  readonly spec?: { readonly unschedulable?: boolean };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly addresses?: readonly { readonly type?: string; readonly address?: string }[];
  };
}

export const nodeCells: Cells = [
  ["nodeStatus", cell<Node>(status)],
  ["nodeRoles", cellWith<Node>(roles)],
  ["nodeInternalIP", cell<Node>(addressOf("InternalIP"))],
  ["nodeExternalIP", cell<Node>(addressOf("ExternalIP"))],
];

function status({ spec, status }: Node): string {
  const ready = status?.conditions?.find((c) => c.type === "Ready");
  const state = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec?.unschedulable === true ? `${state},SchedulingDisabled` : state;
}

/** Words: the prefix of labels that end in a role, and the label whose value is one. */
function roles([prefix = "", single = ""]: readonly string[]): (node: Node) => string {
  return ({ metadata: { labels = {} } }) => {
    const named = Object.keys(labels).flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
    const all = [...named, labels[single] ?? ""].filter((role) => role !== "");
    return [...new Set(all)].sort().join(",") || none;
  };
}

function addressOf(type: string): (node: Node) => string {
  return ({ status }) => status?.addresses?.find((a) => a.type === type)?.address ?? none;
}
