import { unitsOf } from "@orch/scheduling/model/amounts.js";
import { isReady } from "../seen/conditions.js";
import type { SeenNode } from "../seen/node.js";

/** How much of the cluster's processors each zone has: numbers that add up to 1. */
export type ZoneShares = ReadonlyMap<string, number>;

export interface ZoneWords {
  readonly zone: string;
  /** Labels of nodes that run the cluster itself. */
  readonly controlPlane: readonly string[];
}

/**
 * Of the ready nodes that are not of the control plane. Undefined where one of them does not say its zone or what it
 * has, and where all are in one zone.
 */
export function zoneShares(nodes: Iterable<SeenNode>, words: ZoneWords): ZoneShares | undefined {
  const processors = new Map<string, number>();
  let total = 0;
  for (const node of nodes) {
    const { labels = {} } = node.metadata;
    if (words.controlPlane.some((label) => labels[label] !== undefined) || !isReady(node)) continue;
    const zone = labels[words.zone] ?? "";
    const milli = unitsOf("cpu", node.status?.allocatable?.["cpu"] ?? "0");
    if (zone === "" || milli === 0) return undefined;
    processors.set(zone, (processors.get(zone) ?? 0) + milli);
    total += milli;
  }
  if (processors.size < 2) return undefined;
  return new Map([...processors].map(([zone, milli]) => [zone, milli / total]));
}
