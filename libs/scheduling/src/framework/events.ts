import { jsonText } from "@orch/status/json-text.js";
import type { NodeFacts } from "../model/node-info.js";
import type { PodInfo } from "../model/pod-info.js";

/** What of an object changed, as plugins register for it. */
export type Action =
  | "Add"
  | "Delete"
  | "Update"
  | "UpdateNodeAllocatable"
  | "UpdateNodeLabel"
  | "UpdateNodeTaint"
  | "UpdateNodeCondition"
  | "UpdateNodeAnnotation"
  | "UpdatePodLabel"
  | "UpdatePodScaleDown"
  | "UpdatePodTolerations"
  | "UpdatePodSchedulingGatesEliminated"
  | "UpdatePodGeneratedResourceClaim";

/** Pods on nodes, the waiting pod itself, nodes, and every other kind by its name (`PersistentVolumeClaim`). */
export type ClusterEvent =
  | {
      readonly resource: "AssignedPod" | "UnscheduledPod";
      readonly actions: ReadonlySet<Action>;
      readonly before?: PodInfo;
      readonly after?: PodInfo;
    }
  | {
      readonly resource: "Node";
      readonly actions: ReadonlySet<Action>;
      readonly before?: NodeFacts;
      readonly after?: NodeFacts;
    }
  | {
      readonly resource: "Other";
      readonly kind: string;
      readonly actions: ReadonlySet<Action>;
      readonly before?: object;
      readonly after?: object;
    };

/** Whether an event may make a pod schedulable that this plugin refused; called for no other pods. */
export type Hint = (pod: PodInfo, event: ClusterEvent) => boolean;

/** Events that a plugin waits for. Without a hint each of them is worth a try. */
export interface Registration {
  /** `Pod` is pods on nodes and the pod itself; `*` is everything. */
  readonly resource: string;
  readonly actions: readonly Action[];
  readonly hint?: Hint;
}

/** Whether an event is one that somebody registered for. `Update` covers every update. */
export function concerns({ resource, actions }: Registration, event: ClusterEvent): boolean {
  if (resource !== "*" && !namesOf(event).includes(resource)) return false;
  for (const action of actions) {
    if (event.actions.has(action)) return true;
    if (action === "Update" && [...event.actions].some((given) => given.startsWith("Update"))) return true;
  }
  return resource === "*";
}

function namesOf(event: ClusterEvent): readonly string[] {
  if (event.resource === "Other") return [event.kind];
  return event.resource === "Node" ? ["Node"] : ["Pod", event.resource];
}

/** What differs between two states of a pod. */
export function podActions(before: PodInfo, after: PodInfo): ReadonlySet<Action> {
  const actions = new Set<Action>();
  if (!sameEntries(before.labels, after.labels)) actions.add("UpdatePodLabel");
  if (isLess(after, before)) actions.add("UpdatePodScaleDown");
  if (before.gates.length > 0 && after.gates.length === 0) actions.add("UpdatePodSchedulingGatesEliminated");
  if (jsonText(before.tolerations) !== jsonText(after.tolerations)) actions.add("UpdatePodTolerations");
  const claims = (pod: PodInfo) => jsonText(pod.raw.status?.resourceClaimStatuses ?? []);
  if (claims(before) !== claims(after)) actions.add("UpdatePodGeneratedResourceClaim");
  if (actions.size === 0) actions.add("Update");
  return actions;
}

function isLess({ requests: a }: PodInfo, { requests: b }: PodInfo): boolean {
  if (a.cpu < b.cpu || a.memory < b.memory || a.storage < b.storage) return true;
  return [...b.scalars].some(([name, amount]) => (a.scalars.get(name) ?? 0) < amount);
}

/** What differs between two states of a node; empty: nothing that scheduling looks at. */
export function nodeActions(before: NodeFacts, after: NodeFacts): ReadonlySet<Action> {
  const actions = new Set<Action>();
  const differ = (a: unknown, b: unknown) => jsonText(a) !== jsonText(b);
  if (differ(before.raw.status?.allocatable, after.raw.status?.allocatable)) actions.add("UpdateNodeAllocatable");
  if (differ([...before.labels].sort(), [...after.labels].sort())) actions.add("UpdateNodeLabel");
  if (before.unschedulable !== after.unschedulable || differ(before.taints, after.taints)) {
    actions.add("UpdateNodeTaint");
  }
  if (differ(conditionsOf(before), conditionsOf(after))) actions.add("UpdateNodeCondition");
  if (differ(before.raw.metadata?.annotations, after.raw.metadata?.annotations)) actions.add("UpdateNodeAnnotation");
  return actions;
}

/** Without the times, which every heartbeat changes. */
const conditionsOf = ({ raw }: NodeFacts) =>
  (raw.status?.conditions ?? []).map(({ type, status, reason }) => [type, status, reason]);

function sameEntries(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}

/** Names of events in metrics: `AssignedPodAdd`, `NodeTaintChange`. */
export function eventLabel(event: ClusterEvent): string {
  const resource = event.resource === "Other" ? event.kind : event.resource;
  const [action = "Update"] = event.actions;
  if (event.resource === "Node" && action.startsWith("Update")) return `${action.slice("Update".length)}Change`;
  return `${resource}${action.startsWith("Update") ? "Update" : action}`;
}
