import type { ReplicaSet } from "../replicas/types.js";
import { isRolling } from "./fenceposts.js";
import { pastHistory, setsOf, syncedNewest } from "./revisions.js";
import { isScaled, type Resize, rescale, resizeNewest, shrinkOld } from "./scaling.js";
import { isComplete, rolloutStatus, scaledStatus } from "./status.js";
import { type Deployment, type DeploymentKeys, type DeploymentStatus, type Sets, sizeOf } from "./types.js";

export interface DeploymentState {
  readonly deployment: Deployment;
  /** Its sets. */
  readonly owned: readonly ReplicaSet[];
  readonly keys: DeploymentKeys;
  /** Whether pods of these sets are there that have not ended. */
  readonly hasPods: (sets: readonly ReplicaSet[]) => boolean;
}

export interface DeploymentPlan {
  readonly sets: Sets;
  /** In their order, each after the former was done. */
  readonly actions: readonly DeploymentAction[];
  readonly status: DeploymentStatus;
}

export type DeploymentAction =
  | { readonly type: "create" }
  | { readonly type: "update"; readonly set: ReplicaSet }
  | ({ readonly type: "resize" } & Resize)
  | { readonly type: "delete"; readonly set: ReplicaSet };

/** What a deployment needs next. `now`: milliseconds since 1970. */
export function decide(state: DeploymentState, now: number): DeploymentPlan {
  const { deployment, owned, keys } = state;
  const sets = setsOf(deployment, owned, keys);
  if (deployment.metadata.deletionTimestamp !== undefined) {
    return { sets, actions: [], status: scaledStatus(deployment, sets, now) };
  }
  const synced = syncedNewest(deployment, sets, keys);
  const updates: readonly DeploymentAction[] = synced === undefined ? [] : [{ type: "update", set: synced }];
  if (deployment.spec?.paused === true || isScaled(deployment, owned, keys)) {
    const resized = updates.length > 0 ? updates : resizes(rescale(deployment, sets, keys));
    const past = deployment.spec?.paused === true && updates.length === 0 ? forget(state, sets) : [];
    return { sets, actions: [...resized, ...past], status: scaledStatus(deployment, sets, now) };
  }
  // A set that is written to once more would be in conflict with itself.
  const actions = updates.length > 0 ? updates : rollOut(state, sets);
  return { sets, actions, status: rolloutStatus(deployment, sets, now) };
}

const resizes = (all: readonly Resize[]): readonly DeploymentAction[] =>
  all.map((resize) => ({ type: "resize", ...resize }));

function rollOut(state: DeploymentState, sets: Sets): readonly DeploymentAction[] {
  const { deployment } = state;
  const steps = isRolling(deployment) ? roll(deployment, sets) : recreate(state, sets);
  if (steps.length > 0 || !isComplete(deployment, deployment.status)) return steps;
  return forget(state, sets);
}

/** Old sets beyond the history. */
const forget = ({ deployment, keys }: DeploymentState, { old }: Sets): readonly DeploymentAction[] =>
  pastHistory(deployment, old, keys).map((set) => ({ type: "delete", set }));

function roll(deployment: Deployment, sets: Sets): readonly DeploymentAction[] {
  if (sets.newest === undefined) return [{ type: "create" }];
  const newest = resizeNewest(deployment, sets);
  return resizes(newest === undefined ? shrinkOld(deployment, sets) : [newest]);
}

/** Nothing new runs beside what is old. */
function recreate({ deployment, hasPods }: DeploymentState, sets: Sets): readonly DeploymentAction[] {
  const { newest, old } = sets;
  const left = old.filter((set) => sizeOf(set) > 0);
  if (left.length > 0) return resizes(left.map((set) => ({ set, size: 0 })));
  if (old.some(({ status }) => (status?.replicas ?? 0) > 0) || hasPods(old)) return [];
  if (newest === undefined) return [{ type: "create" }];
  const resize = resizeNewest(deployment, sets);
  return resize === undefined ? [] : resizes([resize]);
}
