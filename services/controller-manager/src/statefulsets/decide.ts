import { revisionLabel } from "../rim/history.js";
import { availableInMs, hasEnded, isAvailable, isReady, type Pod } from "../rim/pods.js";
import { ordinalOf } from "./identity.js";
import { countOf, isParallel, type StatefulSet, type StatefulSetStatus, startOf } from "./types.js";

export interface StatefulState {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  /** Names of the revisions that pods are made of, before an update and after it. */
  readonly currentRevision: string;
  readonly updateRevision: string;
}

/** One step or, in parallel, several that do not depend on each other. */
export type StatefulAction =
  | { readonly type: "create"; readonly ordinal: number; readonly isUpdated: boolean }
  /** `again`: it has ended, and is made anew. */
  | { readonly type: "delete"; readonly pod: Pod; readonly why: "again" | "scaled" | "updated" };

export interface StatefulPlan {
  readonly actions: readonly StatefulAction[];
  readonly status: StatefulSetStatus;
  readonly againAfterMs: number | undefined;
}

/** Pods by what becomes of them. A set may ask for two billion: only those that are there are listed. */
interface Members {
  readonly byOrdinal: ReadonlyMap<number, Pod>;
  /** Of ordinals that the set has, in order. */
  readonly wanted: readonly Pod[];
  /** Of others, the highest ordinal first. */
  readonly condemned: readonly Pod[];
}

const isGoing = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;
const runs = (pod: Pod): boolean => pod.status?.phase === "Running" && isReady(pod);
const isHealthy = (pod: Pod): boolean => runs(pod) && !isGoing(pod);
const revisionOf = ({ metadata }: Pod): string | undefined => metadata.labels?.[revisionLabel];

/** What a stateful set needs next. `now`: milliseconds since 1970. */
export function decide(state: StatefulState, now: number): StatefulPlan {
  const { set, pods } = state;
  const members = membersOf(state);
  const status = statusOf(state, members, now);
  const againAfterMs = availableInMs(pods, set.spec?.minReadySeconds ?? 0, now);
  if (set.metadata.deletionTimestamp !== undefined) return { actions: [], status, againAfterMs };
  return { actions: stepsOf(state, members, now), status, againAfterMs };
}

function membersOf({ set, pods }: StatefulState): Members {
  const [start, count] = [startOf(set), countOf(set)];
  const byOrdinal = new Map<number, Pod>();
  for (const pod of pods) {
    const ordinal = ordinalOf(pod, set);
    if (ordinal !== undefined) byOrdinal.set(ordinal, pod);
  }
  const [wanted, condemned]: [Pod[], Pod[]] = [[], []];
  for (const [ordinal, pod] of [...byOrdinal].sort(([a], [b]) => a - b)) {
    const isWanted = ordinal >= start && ordinal < start + count;
    (isWanted ? wanted : condemned).push(pod);
  }
  return { byOrdinal, wanted, condemned: condemned.reverse() };
}

function stepsOf(state: StatefulState, members: Members, now: number): readonly StatefulAction[] {
  const { set } = state;
  const up = scaleUp(state, members, now);
  if (up.actions.length > 0 && !isParallel(set)) return up.actions;
  if (up.waits) return up.actions;
  const down = scaleDown(set, members);
  const all = [...up.actions, ...down.actions];
  return all.length > 0 || down.waits ? all : update(state, members);
}

interface Steps {
  readonly actions: readonly StatefulAction[];
  /** Nothing further may be done before something has changed. */
  readonly waits: boolean;
}

/** In parallel no more are made or deleted in one go. */
const burst = 500;

/** In order each pod once the one before is available, or all at once. */
function scaleUp(state: StatefulState, { byOrdinal }: Members, now: number): Steps {
  const { set } = state;
  const inOrder = !isParallel(set);
  const actions: StatefulAction[] = [];
  const end = startOf(set) + countOf(set);
  for (let ordinal = startOf(set); ordinal < end && actions.length < burst; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) actions.push({ type: "create", ordinal, isUpdated: isUpdated(state, ordinal) });
    else if (hasEnded(pod) && !isGoing(pod)) actions.push({ type: "delete", pod, why: "again" });
    else {
      const isUp = isHealthy(pod) && isAvailable(pod, set.spec?.minReadySeconds ?? 0, now);
      if (inOrder && !isUp) return { actions, waits: true };
      continue;
    }
    if (inOrder) return { actions, waits: true };
  }
  return { actions, waits: false };
}

/** Below the partition of a rolling update pods are made as they were before. */
function isUpdated({ set, currentRevision, updateRevision }: StatefulState, ordinal: number): boolean {
  if (currentRevision === updateRevision) return true;
  const { type = "RollingUpdate", rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (type !== "RollingUpdate") return true;
  const below = rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
  return ordinal >= startOf(set) + below;
}

/** From the highest, in order only while everything else is well. */
function scaleDown(set: StatefulSet, { wanted, condemned }: Members): Steps {
  if (isParallel(set)) {
    const actions = condemned
      .filter((pod) => !isGoing(pod))
      .slice(0, burst)
      .map((pod): StatefulAction => ({ type: "delete", pod, why: "scaled" }));
    return { actions, waits: condemned.length > 0 };
  }
  const [last] = condemned;
  if (last === undefined) return { actions: [], waits: false };
  const lowestUnwell = [...wanted, ...[...condemned].reverse()].find((pod) => !isHealthy(pod));
  const mayGo = !isGoing(last) && (runs(last) || lowestUnwell === last);
  return { actions: mayGo ? [{ type: "delete", pod: last, why: "scaled" }] : [], waits: true };
}

/** One pod of another revision after the other, from the highest down to the partition. */
function update({ set, updateRevision }: StatefulState, { byOrdinal }: Members): readonly StatefulAction[] {
  const { type = "RollingUpdate", rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (type === "OnDelete") return [];
  const partition = rollingUpdate?.partition ?? 0;
  for (let ordinal = startOf(set) + countOf(set) - 1; ordinal >= startOf(set) + partition; ordinal--) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) return [];
    if (revisionOf(pod) !== updateRevision && !isGoing(pod)) return [{ type: "delete", pod, why: "updated" }];
    if (!isHealthy(pod)) return [];
  }
  return [];
}

function statusOf(
  { set, currentRevision, updateRevision }: StatefulState,
  { byOrdinal }: Members,
  now: number,
): StatefulSetStatus {
  const own = [...byOrdinal.values()];
  const count = (holds: (pod: Pod) => boolean): number => own.filter(holds).length;
  const isOf = (revision: string) => (pod: Pod) => !isGoing(pod) && revisionOf(pod) === revision;
  const ready = count(runs);
  const updated = count(isOf(updateRevision));
  const { type = "RollingUpdate" } = set.spec?.updateStrategy ?? {};
  const isComplete =
    type === "RollingUpdate" && updated === own.length && ready === own.length && updated === countOf(set);
  const current = isComplete ? updated : count(isOf(currentRevision));
  const { collisionCount, conditions } = set.status ?? {};
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: own.length,
    ...(ready === 0 ? {} : { readyReplicas: ready }),
    availableReplicas: count((pod) => runs(pod) && isAvailable(pod, set.spec?.minReadySeconds ?? 0, now)),
    ...(current === 0 ? {} : { currentReplicas: current }),
    ...(updated === 0 ? {} : { updatedReplicas: updated }),
    currentRevision: isComplete ? updateRevision : currentRevision,
    updateRevision,
    collisionCount: collisionCount ?? 0,
    ...(conditions === undefined ? {} : { conditions }),
  };
}
