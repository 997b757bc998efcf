import type { ReplicaSet } from "../replicas/types.js";
import { byAge } from "../rim/objects.js";
import { type Fenceposts, fencepostsOf, isRolling } from "./fenceposts.js";
import { availableOf, type Deployment, type DeploymentKeys, type Sets, sizeOf, sumOf, wantedOf } from "./types.js";

/** A set and the size that it is to have. */
export interface Resize {
  readonly set: ReplicaSet;
  readonly size: number;
}

/** How large the newest set may be now, of a deployment whose sets have `total` pods. */
export function newestSize(deployment: Deployment, current: number, total: number): number {
  const wanted = wantedOf(deployment);
  if (!isRolling(deployment)) return wanted;
  const most = wanted + fencepostsOf(deployment).surge;
  return total >= most ? current : current + Math.min(most - total, wanted - current);
}

/** The newest set of a rollout, where its size changes. */
export function resizeNewest(deployment: Deployment, { newest, old }: Sets): Resize | undefined {
  if (newest === undefined) return undefined;
  const [wanted, current] = [wantedOf(deployment), sizeOf(newest)];
  if (current === wanted) return undefined;
  const total = sumOf([newest, ...old], sizeOf);
  const size = current > wanted ? wanted : newestSize(deployment, current, total);
  return size === current ? undefined : { set: newest, size };
}

/**
 * Old sets that give up pods of a rolling update, oldest first: those that are not available as far as the total allows,
 * then those that are as far as enough stay available.
 */
export function shrinkOld(deployment: Deployment, { newest, old }: Sets): readonly Resize[] {
  const all = newest === undefined ? old : [newest, ...old];
  if (newest === undefined || sumOf(old, sizeOf) === 0) return [];
  const least = wantedOf(deployment) - fencepostsOf(deployment).unavailable;
  const room = sumOf(all, sizeOf) - least - Math.max(0, sizeOf(newest) - availableOf(newest));
  if (room <= 0) return [];
  const sizes = new Map(old.map((set) => [set, sizeOf(set)]));
  const take = (most: number, of: (set: ReplicaSet, size: number) => number): void => {
    let left = most;
    for (const [set, size] of sizes) {
      const taken = Math.min(left, of(set, size));
      if (taken <= 0) continue;
      sizes.set(set, size - taken);
      left -= taken;
    }
  };
  take(room, (set, size) => size - availableOf(set));
  // A set that was just made smaller may still say how many it had.
  const left = (set: ReplicaSet): number => Math.min(availableOf(set), sizes.get(set) ?? sizeOf(set));
  take(sumOf(all, left) - least, (_set, size) => size);
  return [...sizes].flatMap(([set, size]) => (size === sizeOf(set) ? [] : { set, size }));
}

/** Whether the number of replicas has changed since the sets were sized. */
export function isScaled(deployment: Deployment, sets: readonly ReplicaSet[], keys: DeploymentKeys): boolean {
  return sets.some((set) => {
    const desired = countIn(set, keys.desired);
    return sizeOf(set) > 0 && desired !== undefined && desired !== wantedOf(deployment);
  });
}

/** Sizes after the number of replicas has changed, or while the deployment is paused: no set is rolled out. */
export function rescale(deployment: Deployment, sets: Sets, keys: DeploymentKeys): readonly Resize[] {
  const { newest, old } = sets;
  const wanted = wantedOf(deployment);
  const only = onlyActive(sets);
  // One of that size already notes the number that it was sized by.
  if (only !== undefined) return [{ set: only, size: wanted }];
  if (newest !== undefined && isSaturated(deployment, newest, keys)) {
    return old.filter((set) => sizeOf(set) > 0).map((set) => ({ set, size: 0 }));
  }
  if (!isRolling(deployment)) return [];
  const active = [...(newest === undefined ? [] : [newest]), ...old].filter((set) => sizeOf(set) > 0);
  return proportional(active, { wanted, fenceposts: fencepostsOf(deployment), maxKey: keys.max });
}

/** The one set that has pods, or without any the newest. */
function onlyActive({ newest, old }: Sets): ReplicaSet | undefined {
  const active = [...(newest === undefined ? [] : [newest]), ...old].filter((set) => sizeOf(set) > 0);
  if (active.length > 1) return undefined;
  return active[0] ?? newest ?? [...old].sort(byAge).at(-1);
}

/** It is as large as it is to be, knows it, and all of it is available. */
function isSaturated(deployment: Deployment, newest: ReplicaSet, keys: DeploymentKeys): boolean {
  const wanted = wantedOf(deployment);
  return sizeOf(newest) === wanted && countIn(newest, keys.desired) === wanted && availableOf(newest) === wanted;
}

export interface ProportionalFacts {
  readonly wanted: number;
  readonly fenceposts: Pick<Fenceposts, "surge">;
  /** Annotation: how many pods the deployment could have when the set was sized. */
  readonly maxKey: string;
}

/** What a rollout gains or loses in all, each set by its share; what rounding leaves is the largest one's. */
export function proportional(
  active: readonly ReplicaSet[],
  { wanted, fenceposts, maxKey }: ProportionalFacts,
): readonly Resize[] {
  const allowed = wanted > 0 ? wanted + fenceposts.surge : 0;
  const change = allowed - sumOf(active, sizeOf);
  const order = [...active].sort((a, b) => sizeOf(b) - sizeOf(a) || (change > 0 ? byAge(b, a) : byAge(a, b)));
  let changed = 0;
  const resizes = order.map((set) => {
    const share = change === 0 ? 0 : shareOf(set, { wanted, max: wanted + fenceposts.surge, maxKey });
    const left = change - changed;
    const part = change > 0 ? Math.min(share, left) : Math.max(share, left);
    changed += part;
    return { set, size: sizeOf(set) + part };
  });
  return resizes.map(({ set, size }, i) => ({ set, size: Math.max(0, i === 0 ? size + change - changed : size) }));
}

function shareOf(
  set: ReplicaSet,
  { wanted, max, maxKey }: { readonly wanted: number; readonly max: number; readonly maxKey: string },
): number {
  if (wanted === 0) return -sizeOf(set);
  const before = countIn(set, maxKey);
  if (before === undefined || before === 0) return 0;
  return Math.round((sizeOf(set) * max) / before) - sizeOf(set);
}

/** A number in an annotation. */
export function countIn({ metadata }: ReplicaSet, key: string): number | undefined {
  const text = metadata.annotations?.[key];
  return text !== undefined && /^-?[0-9]{1,10}$/.test(text) ? Number(text) : undefined;
}
