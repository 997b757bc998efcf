import { wireTime } from "@orch/status/wire-time.js";
import type { ReplicaSet } from "../replicas/types.js";
import { timeOf } from "../rim/objects.js";
import { type Condition, conditionIn, withoutCondition } from "../rim/status.js";
import { fencepostsOf } from "./fenceposts.js";
import { availableOf, type Deployment, type DeploymentStatus, type Sets, sizeOf, sumOf, wantedOf } from "./types.js";

/** 2^31 − 1 stands for a deployment that is never too late. */
const noDeadline = 2_147_483_647;

export function deadlineMsOf({ spec }: Deployment): number | undefined {
  const seconds = spec?.progressDeadlineSeconds;
  return seconds === undefined || seconds === noDeadline ? undefined : seconds * 1000;
}

type News = Pick<Condition, "type" | "status" | "reason" | "message">;

/** One that says the same stays as it is; its transition is as old as its status. */
function put(conditions: readonly Condition[], news: News, now: number): readonly Condition[] {
  const before = conditionIn(conditions, news.type ?? "");
  if (before !== undefined && before.status === news.status && before.reason === news.reason) return conditions;
  const time = wireTime(now);
  const lastTransitionTime = before?.status === news.status ? before?.lastTransitionTime : undefined;
  return [
    ...withoutCondition(conditions, news.type ?? ""),
    { ...news, lastUpdateTime: time, lastTransitionTime: lastTransitionTime ?? time },
  ];
}

const progressing = (status: "True" | "False" | "Unknown", reason: string, message: string): News => ({
  ...{ type: "Progressing", status, reason, message },
});

/** What a status says of a rollout that is over. */
export function isComplete(deployment: Deployment, status: DeploymentStatus = {}): boolean {
  const wanted = wantedOf(deployment);
  return (
    (status.updatedReplicas ?? 0) === wanted &&
    (status.replicas ?? 0) === wanted &&
    (status.availableReplicas ?? 0) === wanted &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** Numbers, and whether enough is available. */
function counted(deployment: Deployment, { newest, old }: Sets, now: number): DeploymentStatus {
  const all = newest === undefined ? old : [newest, ...old];
  const available = sumOf(all, availableOf);
  const numbers = {
    replicas: sumOf(all, ({ status }) => status?.replicas ?? 0),
    updatedReplicas: newest?.status?.replicas ?? 0,
    readyReplicas: sumOf(all, ({ status }) => status?.readyReplicas ?? 0),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, sumOf(all, sizeOf) - available),
  };
  const { collisionCount, conditions = [] } = deployment.status ?? {};
  const isEnough = available >= wantedOf(deployment) - fencepostsOf(deployment).unavailable;
  const news = isEnough
    ? { status: "True", reason: "MinimumReplicasAvailable", message: "Deployment has minimum availability." }
    : {
        status: "False",
        reason: "MinimumReplicasUnavailable",
        message: "Deployment does not have minimum availability.",
      };
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...Object.fromEntries(Object.entries(numbers).filter(([, count]) => count > 0)),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: put(conditions, { type: "Available", ...news }, now),
  };
}

/** A deployment that is paused, or was scaled: its rollout is not judged. */
export function scaledStatus(deployment: Deployment, sets: Sets, now: number): DeploymentStatus {
  const status = counted(deployment, sets, now);
  return { ...status, conditions: withPause(deployment, status.conditions ?? [], now) };
}

/** Paused and resumed deployments say so, unless they were too late already. */
function withPause(deployment: Deployment, conditions: readonly Condition[], now: number): readonly Condition[] {
  if (deadlineMsOf(deployment) === undefined) return conditions;
  const before = conditionIn(conditions, "Progressing");
  if (before?.reason === "ProgressDeadlineExceeded") return conditions;
  const wasPaused = before?.reason === "DeploymentPaused";
  const isPaused = deployment.spec?.paused === true;
  if (isPaused && !wasPaused) {
    return put(conditions, progressing("Unknown", "DeploymentPaused", "Deployment is paused"), now);
  }
  if (isPaused || !wasPaused) return conditions;
  return put(conditions, progressing("Unknown", "DeploymentResumed", "Deployment is resumed"), now);
}

/** The status of a rollout: whether it goes on, is over, or takes too long. `now`: milliseconds since 1970. */
export function rolloutStatus(deployment: Deployment, sets: Sets, now: number): DeploymentStatus {
  const status = counted(deployment, sets, now);
  const paused = withPause(deployment, status.conditions ?? [], now);
  const found = withFound(deployment, sets, paused, now);
  const judged = withProgress(deployment, { ...status, conditions: found }, { newest: sets.newest, now });
  return { ...status, conditions: withFailure(judged, sets, now) };
}

/** A deployment that took over a set which was there already. */
function withFound(deployment: Deployment, { newest }: Sets, conditions: readonly Condition[], now: number) {
  const isNew = newest !== undefined && conditionIn(conditions, "Progressing") === undefined;
  if (!isNew || deadlineMsOf(deployment) === undefined) return conditions;
  const message = `Found new replica set "${newest.metadata.name}"`;
  return put(conditions, progressing("True", "FoundNewReplicaSet", message), now);
}

function withProgress(
  deployment: Deployment,
  status: DeploymentStatus,
  { newest, now }: { readonly newest: ReplicaSet | undefined; readonly now: number },
): readonly Condition[] {
  const { conditions = [] } = status;
  if (deadlineMsOf(deployment) === undefined) return withoutCondition(conditions, "Progressing");
  const before = conditionIn(conditions, "Progressing");
  const isSettled =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && before?.reason === "NewReplicaSetAvailable";
  if (isSettled) return conditions;
  const what =
    newest === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newest.metadata.name}"`;
  if (isComplete(deployment, status)) {
    return put(conditions, progressing("True", "NewReplicaSetAvailable", `${what} has successfully progressed.`), now);
  }
  if (hasProgressed(deployment.status ?? {}, status)) {
    const news = progressing("True", "ReplicaSetUpdated", `${what} is progressing.`);
    // Its time of update counts from now on, for the deadline.
    const time = wireTime(now);
    const since = before?.status === "True" ? before.lastTransitionTime : undefined;
    const moved = { ...news, lastUpdateTime: time, lastTransitionTime: since ?? time };
    return [...withoutCondition(conditions, "Progressing"), moved];
  }
  if (!isLate(deployment, conditions, now)) return conditions;
  return put(conditions, progressing("False", "ProgressDeadlineExceeded", `${what} has timed out progressing.`), now);
}

function hasProgressed(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const { updatedReplicas: updated = 0, replicas = 0, readyReplicas: ready = 0, availableReplicas = 0 } = after;
  const old = (before.replicas ?? 0) - (before.updatedReplicas ?? 0);
  return (
    updated > (before.updatedReplicas ?? 0) ||
    replicas - updated < old ||
    ready > (before.readyReplicas ?? 0) ||
    availableReplicas > (before.availableReplicas ?? 0)
  );
}

function isLate(deployment: Deployment, conditions: readonly Condition[], now: number): boolean {
  const before = conditionIn(conditions, "Progressing");
  const deadline = deadlineMsOf(deployment);
  if (before === undefined || deadline === undefined || before.reason === "NewReplicaSetAvailable") return false;
  return before.reason === "ProgressDeadlineExceeded" || timeOf(before.lastUpdateTime) + deadline < now;
}

/** Milliseconds until a rollout that does not go on is too late; undefined for one that cannot be. */
export function lateInMs(deployment: Deployment, status: DeploymentStatus, now: number): number | undefined {
  const before = conditionIn(status.conditions ?? [], "Progressing");
  const deadline = deadlineMsOf(deployment);
  if (before === undefined || deadline === undefined || isComplete(deployment, status)) return undefined;
  if (before.reason === "ProgressDeadlineExceeded" || before.reason === "NewReplicaSetAvailable") return undefined;
  return Math.max(0, timeOf(before.lastUpdateTime) + deadline - now) + 1000;
}

/** What the newest set could not do, or else an old one. */
function withFailure(conditions: readonly Condition[], { newest, old }: Sets, now: number): readonly Condition[] {
  const failures = [...(newest === undefined ? [] : [newest]), ...old].flatMap(
    ({ status }) => conditionIn(status?.conditions ?? [], "ReplicaFailure") ?? [],
  );
  const [failure] = failures;
  if (failure === undefined) return withoutCondition(conditions, "ReplicaFailure");
  const { status = "True", reason = "", message = "" } = failure;
  return put(conditions, { type: "ReplicaFailure", status, reason, message }, now);
}

/** What came of making the newest set. */
export function withNewSet(
  deployment: Deployment,
  came: { readonly made: string } | { readonly failed: string; readonly message: string },
  now: number,
): readonly Condition[] {
  const { conditions = [] } = deployment.status ?? {};
  if (deadlineMsOf(deployment) === undefined) return conditions;
  if ("made" in came) {
    return put(conditions, progressing("True", "NewReplicaSetCreated", `Created new replica set "${came.made}"`), now);
  }
  const message = `Failed to create new replica set "${came.failed}": ${came.message}`;
  return put(conditions, progressing("False", "ReplicaSetCreateError", message), now);
}
