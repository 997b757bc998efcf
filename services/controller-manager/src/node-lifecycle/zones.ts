import type { Naming } from "@orch/naming/naming.js";
import { conditionOf } from "../seen/conditions.js";
import type { SeenNode } from "../seen/node.js";

export type ZoneState = "normal" | "partial" | "full";

export interface ZoneRates {
  /** Nodes a second that are evicted in a zone that is well. */
  readonly rate: number;
  /** The same in one of which a large part is not. */
  readonly secondaryRate: number;
  /** A zone of as many nodes at most is small: no evictions there while a large part is not well. */
  readonly largeZone: number;
  /** From this part of its nodes on a zone is not well. */
  readonly unhealthy: number;
}

/** Labels by which zones are told apart. */
export interface ZoneKeys {
  readonly region: string;
  readonly zone: string;
}

export const zoneKeys = (naming: Naming): ZoneKeys => ({
  region: `topology.${naming.key("region")}`,
  zone: `topology.${naming.key("zone")}`,
});

export function zoneOf({ metadata }: SeenNode, { region, zone }: ZoneKeys): string {
  return JSON.stringify([metadata.labels?.[region] ?? "", metadata.labels?.[zone] ?? ""]);
}

export interface Zone {
  readonly state: ZoneState;
  readonly size: number;
}

/** Zones by {@link zoneOf}. */
export function zonesOf(nodes: Iterable<SeenNode>, keys: ZoneKeys, unhealthy: number): ReadonlyMap<string, Zone> {
  const counts = new Map<string, { ready: number; notReady: number }>();
  for (const node of nodes) {
    const zone = zoneOf(node, keys);
    const count = counts.get(zone) ?? { ready: 0, notReady: 0 };
    counts.set(zone, count);
    if (conditionOf(node, "Ready")?.status === "True") count.ready += 1;
    else count.notReady += 1;
  }
  return new Map(
    [...counts].map(([zone, { ready, notReady }]) => {
      return [zone, { state: stateOf(ready, notReady, unhealthy), size: ready + notReady }];
    }),
  );
}

function stateOf(ready: number, notReady: number, unhealthy: number): ZoneState {
  if (ready === 0 && notReady > 0) return "full";
  return notReady > 2 && notReady / (notReady + ready) >= unhealthy ? "partial" : "normal";
}

/** Nobody is well: more likely it is this process that hears nobody. */
export function isBlind(zones: ReadonlyMap<string, Zone>): boolean {
  return zones.size > 0 && [...zones.values()].every(({ state }) => state === "full");
}

/** Nodes a second whose pods may be made to go. */
export function rateOf({ state, size }: Zone, { rate, secondaryRate, largeZone }: ZoneRates): number {
  if (state !== "partial") return rate;
  return size > largeZone ? secondaryRate : 0;
}
