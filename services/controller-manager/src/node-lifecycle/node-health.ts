import { wireTime } from "@orch/status/wire-time.js";
import { timeOf } from "../rim/objects.js";
import { conditionOf, type SeenCondition } from "../seen/conditions.js";
import type { SeenNode } from "../seen/node.js";

/** What was seen of a node's agent, and when by this process's clock: its own may be another. */
export interface Heard {
  /** Of its lease; "" where it has none. */
  readonly renewed: string;
  /** Of its condition Ready; "" where it has none. */
  readonly heartbeat: string;
  /** When one of them last changed. Milliseconds since 1970. */
  readonly at: number;
}

export interface GracePeriods {
  /** For how long a node may be silent. */
  readonly graceMs: number;
  /** The same of one that was never heard. */
  readonly startupMs: number;
}

/** `renewed`: of the node's lease, "" where it has none; `before` is undefined for a node that is new here. */
export function hear(
  node: SeenNode,
  renewed: string,
  { before, now }: { readonly before: Heard | undefined; readonly now: number },
): Heard {
  const ready = conditionOf(node, "Ready");
  const heartbeat = ready?.lastHeartbeatTime ?? "";
  if (before !== undefined && before.renewed === renewed && before.heartbeat === heartbeat) return before;
  // One that never said anything counts from when it was made.
  const silent = ready === undefined && renewed === "";
  return { renewed, heartbeat, at: before === undefined && silent ? timeOf(node.metadata.creationTimestamp) : now };
}

const watched = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** The conditions of a node whose agent is silent; undefined where it is not, or they say so already. */
export function silentConditions(
  node: SeenNode,
  heard: Heard,
  { now, graceMs, startupMs }: GracePeriods & { readonly now: number },
): readonly SeenCondition[] | undefined {
  const never = conditionOf(node, "Ready") === undefined;
  if (now <= heard.at + (never ? startupMs : graceMs)) return undefined;
  const told = watched.flatMap((type) => {
    const before = conditionOf(node, type);
    return before?.status === "Unknown" ? [] : [unknown(type, node, { before, now })];
  });
  return told.length === 0 ? undefined : told;
}

function unknown(
  type: string,
  node: SeenNode,
  { before, now }: { readonly before: SeenCondition | undefined; readonly now: number },
): SeenCondition {
  const status = { type, status: "Unknown", lastTransitionTime: wireTime(now) };
  const lastHeartbeatTime = before === undefined ? node.metadata.creationTimestamp : before.lastHeartbeatTime;
  const heartbeat = lastHeartbeatTime === undefined ? {} : { lastHeartbeatTime };
  return before === undefined
    ? { ...status, ...heartbeat, reason: "NodeStatusNeverUpdated", message: "Kubelet never posted node status." }
    : { ...status, ...heartbeat, reason: "NodeStatusUnknown", message: "Kubelet stopped posting node status." };
}
