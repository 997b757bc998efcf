import type { Naming } from "@orch/naming/naming.js";
import { conditionOf } from "../seen/conditions.js";
import type { SeenNode, SeenTaint } from "../seen/node.js";

export interface TaintKeys {
  readonly notReady: string;
  readonly unreachable: string;
  readonly unschedulable: string;
  /** By the condition and the status that they stand for: `MemoryPressure=True`. */
  readonly byCondition: ReadonlyMap<string, string>;
}

export function taintKeys(naming: Naming): TaintKeys {
  const key = (name: string): string => `node.${naming.key(name)}`;
  return {
    notReady: key("not-ready"),
    unreachable: key("unreachable"),
    unschedulable: key("unschedulable"),
    byCondition: new Map([
      ["Ready=False", key("not-ready")],
      ["Ready=Unknown", key("unreachable")],
      ["MemoryPressure=True", key("memory-pressure")],
      ["DiskPressure=True", key("disk-pressure")],
      ["PIDPressure=True", key("pid-pressure")],
      ["NetworkUnavailable=True", key("network-unavailable")],
    ]),
  };
}

/** The taints by which nothing new comes to a node, as its conditions and `unschedulable` want them: keys. */
export function schedulingTaints(node: SeenNode, keys: TaintKeys): ReadonlySet<string> {
  const wanted = new Set<string>();
  for (const [condition, key] of keys.byCondition) {
    const [type = "", status] = condition.split("=");
    if (conditionOf(node, type)?.status === status) wanted.add(key);
  }
  if (node.spec?.unschedulable === true) wanted.add(keys.unschedulable);
  return wanted;
}

/** The taint by which pods go from a node that is not ready; undefined for one that is, or does not say. */
export function evictingTaint(node: SeenNode, keys: TaintKeys): string | undefined {
  const status = conditionOf(node, "Ready")?.status;
  return status === "False" ? keys.notReady : status === "Unknown" ? keys.unreachable : undefined;
}

export interface WantedTaints {
  /** Of {@link schedulingTaints}. */
  readonly scheduling: ReadonlySet<string>;
  /** Of {@link evictingTaint}, where it is to be there now. */
  readonly evicting: string | undefined;
  /** RFC 3339. */
  readonly now: string;
}

/** The taints of a node with those of this controller as wanted, others as they are; undefined where they are right. */
export function withTaints(node: SeenNode, keys: TaintKeys, wanted: WantedTaints): readonly SeenTaint[] | undefined {
  const taints = node.spec?.taints ?? [];
  const own = new Set([...keys.byCondition.values(), keys.unschedulable]);
  const isWrong = ({ key = "", effect }: SeenTaint): boolean => {
    if (effect === "NoSchedule") return own.has(key) && !wanted.scheduling.has(key);
    return effect === "NoExecute" && (key === keys.notReady || key === keys.unreachable) && key !== wanted.evicting;
  };
  const kept = taints.filter((taint) => !isWrong(taint));
  const lacks = (key: string, effect: string): boolean => !kept.some((t) => t.key === key && t.effect === effect);
  const evicting = wanted.evicting;
  const added = [
    ...[...wanted.scheduling]
      .filter((key) => lacks(key, "NoSchedule"))
      .map((key) => ({ key, effect: "NoSchedule", timeAdded: wanted.now })),
    ...(evicting === undefined || !lacks(evicting, "NoExecute")
      ? []
      : [{ key: evicting, effect: "NoExecute", timeAdded: wanted.now }]),
  ];
  return added.length === 0 && kept.length === taints.length ? undefined : [...kept, ...added];
}

/** Whether one of the two evicting taints is on the node. */
export function evictedBy(node: SeenNode, { notReady, unreachable }: TaintKeys): string | undefined {
  const found = node.spec?.taints?.find(
    ({ key, effect }) => effect === "NoExecute" && (key === notReady || key === unreachable),
  );
  return found?.key;
}
