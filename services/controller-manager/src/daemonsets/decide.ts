import type { Naming } from "@orch/naming/naming.js";
import { partOf } from "../deployments/fenceposts.js";
import { revisionLabel } from "../rim/history.js";
import { byAge } from "../rim/objects.js";
import { availableInMs, hasEnded, isAvailable, isReady, type Pod } from "../rim/pods.js";
import { nodeOf, type Place, placesOf } from "./placement.js";
import type { DaemonSet, DaemonSetStatus, Node } from "./types.js";

export interface DaemonState {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  /** Of the template that new pods are made of. */
  readonly hash: string;
  readonly naming: Naming;
}

export interface DaemonPlan {
  /** Names of nodes that get a pod. */
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
  /** Pods that have ended, which are deleted after a delay of their node. */
  readonly ended: readonly Pod[];
  readonly status: DaemonSetStatus;
  readonly againAfterMs: number | undefined;
}

const burst = 250;

/** What stands on one node of a set's. */
interface OnNode {
  readonly name: string;
  readonly place: Place;
  /** That have not ended, oldest first. */
  readonly pods: readonly Pod[];
  readonly ended: readonly Pod[];
}

const isGoing = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/** What a daemon set needs next. `now`: milliseconds since 1970. */
export function decide(state: DaemonState, now: number): DaemonPlan {
  const { set, pods } = state;
  const all = placesWithPods(state);
  const status = statusOf(state, all, now);
  const againAfterMs = availableInMs(pods, set.spec?.minReadySeconds ?? 0, now);
  const nothing = { create: [], remove: [], ended: [], status, againAfterMs };
  if (set.metadata.deletionTimestamp !== undefined) return nothing;
  const surplus = all.map((each) => surplusOn(state, each, now));
  const ended = all.flatMap(({ place, ended: over }) => (place.stays ? over.filter((pod) => !isGoing(pod)) : []));
  const missing = all.filter(({ place, pods: there, ended: over }) => {
    return place.runs && there.length === 0 && over.length === 0;
  });
  const create = missing.map(({ name }) => name);
  const remove = surplus.flat();
  // Pods that were just made and deleted are not in what an update goes by.
  const update = remove.length + create.length > 0 ? { create: [], remove: [] } : updateOf(state, all, now);
  return {
    ...nothing,
    create: [...create, ...update.create].slice(0, burst),
    remove: [...remove, ...update.remove].slice(0, burst),
    ended,
  };
}

function placesWithPods({ set, nodes, pods, naming }: DaemonState): readonly OnNode[] {
  const placeOf = placesOf(set.spec?.template?.spec ?? {}, naming);
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const known = byNode.get(nodeOf(pod));
    if (known === undefined) byNode.set(nodeOf(pod), [pod]);
    else known.push(pod);
  }
  return nodes.map((node) => {
    const { name = "" } = node.metadata;
    const there = byNode.get(name) ?? none;
    const place = placeOf(node);
    if (!there.some(hasEnded)) return { name, place, pods: oldestFirst(there), ended: none };
    const sorted = oldestFirst(there);
    return { name, place, pods: sorted.filter((pod) => !hasEnded(pod)), ended: sorted.filter(hasEnded) };
  });
}

const none: readonly Pod[] = [];
const oldestFirst = (pods: readonly Pod[]): readonly Pod[] => (pods.length < 2 ? pods : [...pods].sort(byAge));

const isNew = (pod: Pod, { hash }: DaemonState): boolean => pod.metadata.labels?.[revisionLabel] === hash;

/** Pods that a node has too many of: all where it is to have none, all but the oldest, or while one replaces another all but two. */
function surplusOn(state: DaemonState, { place, pods }: OnNode, now: number): readonly Pod[] {
  if (pods.length === 0 || (place.stays && pods.length === 1)) return none;
  const running = pods.filter((pod) => !isGoing(pod));
  if (!place.stays) return running;
  if (boundsOf(state.set, 0).surge === 0) return running.slice(1);
  const [young, old] = [running.filter((pod) => isNew(pod, state)), running.filter((pod) => !isNew(pod, state))];
  const [newest, oldest] = [young[0], old[0]];
  const isDone =
    newest !== undefined &&
    oldest !== undefined &&
    (isAvailable(newest, state.set.spec?.minReadySeconds ?? 0, now) || !isReady(oldest));
  return [...young.slice(1), ...old.slice(isDone ? 0 : 1)];
}

/** How many nodes may be without an available pod, or have two. */
export function boundsOf(
  { spec }: DaemonSet,
  desired: number,
): { readonly unavailable: number; readonly surge: number } {
  const { maxUnavailable = 1, maxSurge = 0 } = spec?.updateStrategy?.rollingUpdate ?? {};
  const surge =
    typeof maxSurge === "string" && desired === 0 ? Number(maxSurge !== "0%") : partOf(maxSurge, desired, Math.ceil);
  const unavailable = partOf(maxUnavailable, desired, Math.ceil);
  return surge === 0 && unavailable === 0 ? { unavailable: 1, surge } : { unavailable, surge };
}

/** Replaces pods of another template: those that are not available at once, the others as far as the bounds allow. */
function updateOf(state: DaemonState, all: readonly OnNode[], now: number): Pick<DaemonPlan, "create" | "remove"> {
  const { set } = state;
  const wanted = all.filter(({ place }) => place.runs);
  const isOver = wanted.every(({ pods }) => pods.every((pod) => isNew(pod, state)));
  if (isOver || set.spec?.updateStrategy?.type === "OnDelete") return { create: [], remove: [] };
  const { unavailable, surge } = boundsOf(set, wanted.length);
  const isUp = (pod: Pod | undefined): boolean =>
    pod !== undefined && !isGoing(pod) && isAvailable(pod, set.spec?.minReadySeconds ?? 0, now);
  const pairs = wanted.map(({ name, pods }) => ({
    name,
    young: pods.find((pod) => isNew(pod, state)),
    old: pods.find((pod) => !isNew(pod, state)),
  }));
  const outdated = pairs.filter(({ young, old }) => young === undefined && old !== undefined && !isGoing(old));
  if (surge > 0) {
    const twice = pairs.filter(({ young, old }) => young !== undefined && old !== undefined).length;
    const down = outdated.filter(({ old }) => !isUp(old));
    const up = outdated.filter(({ old }) => isUp(old)).slice(0, Math.max(0, surge - twice));
    return { create: [...down, ...up].map(({ name }) => name), remove: [] };
  }
  const down = outdated.filter(({ old }) => !isUp(old));
  const without = pairs.filter(({ young, old }) => !isUp(young) && !isUp(old)).length;
  const up = outdated.filter(({ old }) => isUp(old)).slice(0, Math.max(0, unavailable - without));
  return { create: [], remove: [...down, ...up].flatMap(({ old }) => old ?? []) };
}

function statusOf(state: DaemonState, all: readonly OnNode[], now: number): DaemonSetStatus {
  const { set } = state;
  const counts = { desired: 0, current: 0, misplaced: 0, ready: 0, available: 0, updated: 0 };
  for (const { place, pods, ended } of all) {
    const [first] = [...pods, ...ended];
    if (!place.runs) {
      counts.misplaced += first === undefined ? 0 : 1;
      continue;
    }
    counts.desired += 1;
    if (first === undefined) continue;
    counts.current += 1;
    const isHere = pods.filter((pod) => !isGoing(pod));
    if (isHere.some(isReady)) counts.ready += 1;
    if (isHere.some((pod) => isAvailable(pod, set.spec?.minReadySeconds ?? 0, now))) counts.available += 1;
    if (pods.some((pod) => isNew(pod, state))) counts.updated += 1;
  }
  // Nobody here writes conditions: what others put there stays.
  const { collisionCount, conditions } = set.status ?? {};
  return {
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misplaced,
    desiredNumberScheduled: counts.desired,
    numberReady: counts.ready,
    observedGeneration: set.metadata.generation ?? 0,
    ...(counts.updated === 0 ? {} : { updatedNumberScheduled: counts.updated }),
    ...(counts.available === 0 ? {} : { numberAvailable: counts.available }),
    ...(counts.desired === counts.available ? {} : { numberUnavailable: counts.desired - counts.available }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(conditions === undefined ? {} : { conditions }),
  };
}
