import { type OwnerReference, referenceTo, type Seen } from "../rim/objects.js";
import type { Pod } from "../rim/pods.js";
import { sameJson } from "../rim/same-json.js";
import { workloadKinds } from "../rim/workload-kinds.js";
import { ordinalOf } from "./identity.js";
import type { StatefulSet } from "./types.js";

/**
 * Who is to own a claim of a set's pod, by the set's policy of today; undefined where that is so already. The set does where
 * claims go with it, the pod where there is one too many of it and claims go when there are fewer; the owner manages the
 * claim. Whoever else owns the claim stays, a claim that somebody else manages gets neither, and one that names a set or a pod
 * of before is left alone.
 *
 *     whenDeleted whenScaled    pod of the set    pod too many
 *     Retain      Retain        nobody            nobody
 *     Delete      Retain        set               set
 *     Retain      Delete        nobody            pod
 *     Delete      Delete        set               pod
 */
export function ownersOfClaim(claim: Seen, set: StatefulSet, pod: Pod): readonly OwnerReference[] | undefined {
  const { whenDeleted, whenScaled } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  const [ofSet, ofPod] = [referenceTo(workloadKinds.statefulSet, set), referenceTo(podKind, pod)];
  const present = claim.metadata.ownerReferences ?? [];
  if (present.some((each) => isStale(each, ofSet) || isStale(each, ofPod))) return undefined;
  const others = present.filter(({ uid }) => uid !== ofSet.uid && uid !== ofPod.uid);
  const isManaged = others.some(({ controller }) => controller === true);
  const goesWithPod = whenScaled === "Delete" && !isInRange(set, pod);
  const own = goesWithPod ? ofPod : whenDeleted === "Delete" ? ofSet : undefined;
  const wanted = own === undefined || isManaged ? others : [...others, own];
  const manages = (references: readonly OwnerReference[]) =>
    references.map(({ uid, controller }) => `${uid} ${controller === true}`).sort();
  return sameJson(manages(present), manages(wanted)) ? undefined : wanted;
}

/** A claim of a pod of this name that was, and goes with that one: nothing is made of it any more. */
export function isClaimOfPast({ metadata }: Seen, set: StatefulSet, podName: string): boolean {
  if (set.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled !== "Delete") return false;
  return (metadata.ownerReferences ?? []).some(({ kind, name }) => kind === podKind.kind && name === podName);
}

const podKind = { apiVersion: "v1", kind: "Pod" };

/** It names a set or a pod of before, which the garbage collector sees to. */
const isStale = (reference: OwnerReference, { apiVersion, kind, name, uid }: OwnerReference): boolean =>
  reference.uid !== uid && reference.apiVersion === apiVersion && reference.kind === kind && reference.name === name;

/** The pod is one of those that the set is to have. */
function isInRange(set: StatefulSet, pod: Pod): boolean {
  const ordinal = ordinalOf(pod, set);
  const start = set.spec?.ordinals?.start ?? 0;
  return ordinal !== undefined && ordinal >= start && ordinal < start + (set.spec?.replicas ?? 1);
}
