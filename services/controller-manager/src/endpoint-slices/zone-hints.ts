import { type Endpoint, endpointsOf, isEndpointReady, type Slice, type SlicePlan } from "./objects.js";
import type { ZoneShares } from "./zone-shares.js";

/** No endpoint gets more than this beyond its share of the traffic. */
const overload = 0.2;

export type Hinted =
  | { readonly done: true; readonly plan: SlicePlan }
  /** `why` is the text of the event; hints are to be removed. */
  | { readonly done: false; readonly why: string };

interface Allocation {
  readonly least: number;
  readonly most: number;
  readonly desired: number;
}

type Counts = Map<string, number>;

/**
 * Hints by which each zone is served by as many endpoints as it has processors: an endpoint serves its own zone, unless
 * that has more of them than it needs. Slices whose hints are still good stay as they are.
 */
export function addZoneHints(plan: SlicePlan, shares: ZoneShares | undefined): Hinted {
  const ready = [...plan.create, ...plan.update, ...plan.unchanged].reduce((sum, slice) => sum + countReady(slice), 0);
  const allocations = allocate(ready, shares);
  if (typeof allocations === "string") return { done: false, why: allocations };
  const counts: Counts = new Map();
  const kept = new Set(plan.unchanged.filter((slice) => isKept(slice, counts, allocations)));
  const rewritten = plan.unchanged.filter((slice) => !kept.has(slice));
  const written = [...plan.create, ...plan.update, ...rewritten];
  for (const endpoint of written.flatMap(endpointsOf)) {
    if (!isEndpointReady(endpoint)) continue;
    const { zone = "" } = endpoint;
    if (zone === "") return { done: false, why: "One or more endpoints do not have a zone specified" };
    add(counts, zone, 1);
  }
  if (counts.size === 0) return { done: false, why: "No hints allocated for zones" };
  const hint = createHinter(movesBetween(allocations, counts));
  const hinted = (slice: Slice): Slice => ({ ...slice, endpoints: endpointsOf(slice).map(hint) });
  return {
    done: true,
    plan: {
      create: plan.create.map(hinted),
      update: [...plan.update, ...rewritten].map(hinted),
      remove: plan.remove,
      unchanged: [...kept],
    },
  };
}

function allocate(ready: number, shares: ZoneShares | undefined): ReadonlyMap<string, Allocation> | string {
  if (shares === undefined)
    return "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes";
  const counted = `(${ready} endpoints, ${shares.size} zones)`;
  if (shares.size > ready) return `Insufficient number of endpoints ${counted}`;
  const zones = [...shares].map(([zone, share]) => {
    const desired = share * ready;
    const least = Math.ceil(desired * (1 / (1 + overload)));
    return { zone, least, desired: Math.max(desired, least) };
  });
  const least = zones.reduce((sum, zone) => sum + zone.least, 0);
  if (least > ready) {
    return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${counted}`;
  }
  return new Map(zones.map(({ zone, ...each }) => [zone, { ...each, most: each.least + ready - least }]));
}

/** Whether a slice's hints can stay; it is counted then. */
function isKept(slice: Slice, counts: Counts, allocations: ReadonlyMap<string, Allocation>): boolean {
  const own: Counts = new Map();
  for (const endpoint of endpointsOf(slice).filter(isEndpointReady)) {
    const zones = (endpoint.hints?.forZones ?? []).map(({ name = "" }) => name);
    if (zones.length === 0 || zones.some((zone) => !allocations.has(zone))) return false;
    for (const zone of zones) add(own, zone, 1);
  }
  for (const [zone, count] of own) {
    if (count + (counts.get(zone) ?? 0) > (allocations.get(zone)?.most ?? 0)) return false;
  }
  for (const [zone, count] of own) add(counts, zone, count);
  return true;
}

interface Moves {
  readonly giving: Counts;
  readonly receiving: Counts;
}

/** How many endpoints go from the zones that have too many to those that lack some: from the richest to the poorest. */
function movesBetween(allocations: ReadonlyMap<string, Allocation>, counts: Counts): Moves {
  const surplus: Counts = new Map();
  const lack: Counts = new Map();
  for (const [zone, { desired }] of allocations) {
    const beyond = (counts.get(zone) ?? 0) - desired;
    if (beyond > 0) surplus.set(zone, beyond);
    else if (beyond < 0) lack.set(zone, -beyond);
  }
  const giving: Counts = new Map();
  const receiving: Counts = new Map();
  for (;;) {
    const from = largest(surplus);
    const to = largest(lack);
    if (from === undefined || to === undefined) break;
    if ((from.count < 1 && to.count < 1) || from.count < 0.5 || to.count < 0.5) break;
    add(giving, from.zone, 1);
    add(receiving, to.zone, 1);
    add(surplus, from.zone, -1);
    add(lack, to.zone, -1);
  }
  return { giving, receiving };
}

function largest(zones: Counts): { readonly zone: string; readonly count: number } | undefined {
  let found: { readonly zone: string; readonly count: number } | undefined;
  for (const [zone, count] of zones) if (count > (found?.count ?? 0)) found = { zone, count };
  return found;
}

/** Gives one endpoint after the other the zone that it serves. */
function createHinter({ giving, receiving }: Moves): (endpoint: Endpoint) => Endpoint {
  const take = (zones: Counts, zone: string): void => {
    if (zones.get(zone) === 1) zones.delete(zone);
    else add(zones, zone, -1);
  };
  return (endpoint) => {
    if (!isEndpointReady(endpoint)) return withoutHints(endpoint);
    const { zone = "" } = endpoint;
    const [other] = receiving.keys();
    if (other === undefined || !giving.has(zone)) return withHint(endpoint, zone);
    take(giving, zone);
    take(receiving, other);
    return withHint(endpoint, other);
  };
}

/** `trafficDistribution: PreferClose`: each endpoint serves its own zone, however many there are. */
export function addOwnZones(plan: SlicePlan): SlicePlan {
  const hasOwn = ({ zone = "", hints }: Endpoint): boolean =>
    hints?.forZones?.length === 1 && hints.forZones[0]?.name === zone;
  const isRight = (slice: Slice): boolean =>
    endpointsOf(slice).every((endpoint) => !isEndpointReady(endpoint) || hasOwn(endpoint));
  const change = (endpoint: Endpoint): Endpoint =>
    isEndpointReady(endpoint) ? withHint(endpoint, endpoint.zone ?? "") : endpoint;
  return rewrite(plan, isRight, change);
}

export function removeHints(plan: SlicePlan): SlicePlan {
  const isRight = (slice: Slice): boolean => endpointsOf(slice).every((endpoint) => endpoint.hints === undefined);
  return rewrite(plan, isRight, withoutHints);
}

function rewrite(
  plan: SlicePlan,
  isRight: (slice: Slice) => boolean,
  change: (endpoint: Endpoint) => Endpoint,
): SlicePlan {
  const changed = (slice: Slice): Slice =>
    isRight(slice) ? slice : { ...slice, endpoints: endpointsOf(slice).map(change) };
  return {
    create: plan.create.map(changed),
    update: [...plan.update, ...plan.unchanged.filter((slice) => !isRight(slice))].map(changed),
    remove: plan.remove,
    unchanged: plan.unchanged.filter(isRight),
  };
}

const withHint = (endpoint: Endpoint, zone: string): Endpoint => ({
  ...endpoint,
  hints: { forZones: [{ name: zone }] },
});

function withoutHints({ hints: _, ...endpoint }: Endpoint): Endpoint {
  return endpoint;
}

const countReady = (slice: Slice): number => endpointsOf(slice).filter(isEndpointReady).length;

function add(counts: Counts, zone: string, count: number): void {
  counts.set(zone, (counts.get(zone) ?? 0) + count);
}
