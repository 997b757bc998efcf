import { type Endpoint, endpointsOf, type Slice, type SlicePlan } from "./objects.js";

export interface FillOptions {
  /** Endpoints of a slice at most. */
  readonly max: number;
  /** A new slice of these endpoints. */
  readonly make: (endpoints: readonly Endpoint[]) => Slice;
  /** The slice with the labels that it should have: itself where it has them. */
  readonly relabelled: (slice: Slice) => Slice;
}

/**
 * Brings slices of the same ports to the endpoints that are wanted, with few writes rather than few slices. What is in a
 * slice stays there; what is new goes into slices that are written anyway, fullest first; what is left then goes into
 * the one other slice that it fills best, or into new ones.
 * ```
 * max 3, slices [a b] [c d e], wanted a b d e f g   →   [d e f] is written (c has gone), [a b g] takes what is left
 * ```
 */
export function fillSlices(slices: readonly Slice[], wanted: readonly Endpoint[], options: FillOptions): SlicePlan {
  const { max, make } = options;
  const left = new Map(wanted.map((endpoint) => [endpointKey(endpoint), endpoint]));
  const kept = slices.map((slice) => keepWanted(slice, left, options));
  const remove = kept.filter((each) => each.change === "empty").map(({ slice }) => slice);
  const written = kept.filter((each) => each.change === "written").map(({ slice }) => slice);
  let unchanged: readonly Slice[] = kept.filter((each) => each.change === "none").map(({ slice }) => slice);

  const rest = [...left.values()];
  const take = (room: number): readonly Endpoint[] => rest.splice(0, Math.max(0, room));
  const fill = (slice: Slice): Slice => {
    const more = take(max - endpointsOf(slice).length);
    return more.length === 0 ? slice : { ...slice, endpoints: [...endpointsOf(slice), ...more] };
  };
  const update = written.toSorted((a, b) => endpointsOf(b).length - endpointsOf(a).length).map(fill);
  const create: Slice[] = [];
  while (rest.length > 0) {
    const fitting = rest.length < max ? bestFit(unchanged, rest.length, max) : undefined;
    if (fitting === undefined) create.push(make(take(max)));
    else {
      update.push(fill(fitting));
      unchanged = unchanged.filter((slice) => slice !== fitting);
    }
  }
  return { create, update, remove, unchanged };
}

interface Kept {
  readonly slice: Slice;
  readonly change: "none" | "written" | "empty";
}

/** Takes out of `left` what the slice has already. */
function keepWanted(slice: Slice, left: Map<string, Endpoint>, { relabelled }: FillOptions): Kept {
  const had = endpointsOf(slice);
  let changed = false;
  const endpoints = had.flatMap((endpoint) => {
    const key = endpointKey(endpoint);
    const wanted = left.get(key);
    if (wanted === undefined) return [];
    left.delete(key);
    changed ||= !isSame(endpoint, wanted);
    return wanted;
  });
  const named = relabelled(slice);
  if (changed || endpoints.length !== had.length) {
    return endpoints.length === 0 ? { slice, change: "empty" } : { slice: { ...named, endpoints }, change: "written" };
  }
  return named === slice ? { slice, change: "none" } : { slice: named, change: "written" };
}

/** The slice in which the least room is left afterwards; the first of several, none that stays empty before. */
function bestFit(slices: readonly Slice[], count: number, max: number): Slice | undefined {
  let best: Slice | undefined;
  let least = max;
  for (const slice of slices) {
    const room = max - count - endpointsOf(slice).length;
    if (room < 0 || room >= least) continue;
    best = slice;
    least = room;
  }
  return best;
}

/** By which an endpoint is known while everything else of it changes. */
function endpointKey({ addresses = [], hostname = "", targetRef = {} }: Endpoint): string {
  const { namespace = "", name = "" } = targetRef;
  return JSON.stringify([addresses.length < 2 ? addresses : addresses.toSorted(), hostname, namespace, name]);
}

function isSame(a: Endpoint, b: Endpoint): boolean {
  return (
    a.nodeName === b.nodeName &&
    a.zone === b.zone &&
    a.conditions?.ready === b.conditions?.ready &&
    a.conditions?.serving === b.conditions?.serving &&
    a.conditions?.terminating === b.conditions?.terminating &&
    a.targetRef?.kind === b.targetRef?.kind &&
    a.targetRef?.uid === b.targetRef?.uid
  );
}
