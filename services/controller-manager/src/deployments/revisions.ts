import type { ReplicaSet } from "../replicas/types.js";
import { byAge } from "../rim/objects.js";
import { sameJson } from "../rim/same-json.js";
import { fencepostsOf } from "./fenceposts.js";
import { countIn } from "./scaling.js";
import { sameTemplate } from "./template-hash.js";
import { type Deployment, type DeploymentKeys, type Sets, wantedOf } from "./types.js";

/** Of several sets with the deployment's template the oldest is the newest of its rollout. */
export function setsOf(deployment: Deployment, owned: readonly ReplicaSet[], keys: DeploymentKeys): Sets {
  const sorted = [...owned].sort(byAge);
  const template = deployment.spec?.template;
  const newest = sorted.find((set) => sameTemplate(set.spec?.template, template, keys.hash));
  return { newest, old: sorted.filter((set) => set !== newest) };
}

export function revisionOf(set: ReplicaSet, keys: DeploymentKeys): number {
  return countIn(set, keys.revision) ?? 0;
}

/** Of the set that is made for the deployment's template now. */
export function nextRevision(old: readonly ReplicaSet[], keys: DeploymentKeys): number {
  return old.reduce((highest, set) => Math.max(highest, revisionOf(set, keys)), 0) + 1;
}

const historyLength = 2000;

/** Annotations of the newest set: the deployment's, its revision, and the revisions that it was before. */
export function newestAnnotations(
  deployment: Deployment,
  set: ReplicaSet | undefined,
  { revision, keys }: { readonly revision: number; readonly keys: DeploymentKeys },
): Readonly<Record<string, string>> {
  const own = new Set([keys.lastApplied, keys.revision, keys.history, keys.desired, keys.max]);
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !own.has(key));
  const before = set?.metadata.annotations ?? {};
  const annotations: Record<string, string> = { ...before, ...Object.fromEntries(copied) };
  if (set === undefined)
    return { ...annotations, [keys.revision]: String(revision), ...sizeAnnotations(deployment, keys) };
  const last = revisionOf(set, keys);
  if (last >= revision) return annotations;
  const past = before[keys.revision];
  annotations[keys.revision] = String(revision);
  if (past !== undefined) annotations[keys.history] = historyWith(before[keys.history], past);
  return annotations;
}

/** Numbers after each other, of which the oldest go when there are too many. */
function historyWith(history: string | undefined, revision: string): string {
  const text = history === undefined || history === "" ? revision : `${history},${revision}`;
  if (text.length <= historyLength) return text;
  return text.slice(text.indexOf(",", text.length - historyLength) + 1);
}

/** By what a set was sized, for the next change of the number of replicas. */
export function sizeAnnotations(deployment: Deployment, keys: DeploymentKeys): Readonly<Record<string, string>> {
  const wanted = wantedOf(deployment);
  return { [keys.desired]: String(wanted), [keys.max]: String(wanted + fencepostsOf(deployment).surge) };
}

/** The newest set with what it takes over from the deployment; undefined where it has it. */
export function syncedNewest(
  deployment: Deployment,
  { newest, old }: Sets,
  keys: DeploymentKeys,
): ReplicaSet | undefined {
  if (newest === undefined) return undefined;
  const annotations = newestAnnotations(deployment, newest, { revision: nextRevision(old, keys), keys });
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  const isSame =
    sameJson(annotations, newest.metadata.annotations ?? {}) && (newest.spec?.minReadySeconds ?? 0) === minReadySeconds;
  if (isSame) return undefined;
  return {
    ...newest,
    metadata: { ...newest.metadata, annotations },
    spec: { ...newest.spec, minReadySeconds },
  };
}

/** Old sets that nobody goes back to any more, the oldest revision first. */
export function pastHistory(deployment: Deployment, old: readonly ReplicaSet[], keys: DeploymentKeys) {
  const limit = deployment.spec?.revisionHistoryLimit;
  const there = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (limit === undefined || there.length <= limit) return [];
  const sorted = [...there].sort((a, b) => revisionOf(a, keys) - revisionOf(b, keys) || byAge(a, b));
  return sorted.slice(0, there.length - limit).filter(({ metadata, spec, status }) => {
    const isSeen = (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
    return isSeen && (status?.replicas ?? 0) === 0 && (spec?.replicas ?? 1) === 0;
  });
}
