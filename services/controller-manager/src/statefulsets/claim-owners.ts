import { controllerOf, type OwnerReference, type Seen } from "../rim/objects.js";
import type { Pod } from "../rim/pods.js";
import { sameJson } from "../rim/same-json.js";
import { ordinalOf, setOwner } from "./identity.js";
import type { StatefulSet } from "./types.js";

/**
 * Who is to own a claim of a set's pod, by the set's policy of today; undefined where that is so already. The set does where
 * claims go with it, the pod where there is one too many of it and claims go when there are fewer. Whoever else owns the
 * claim stays, and a claim that somebody else manages gets neither.
 *
 *     whenDeleted whenScaled    pod of the set    pod too many
 *     Retain      Retain        nobody            nobody
 *     Delete      Retain        set               set
 *     Retain      Delete        nobody            pod
 *     Delete      Delete        set               pod
 */
export function ownersOfClaim(claim: Seen, set: StatefulSet, pod: Pod): readonly OwnerReference[] | undefined {
  const { whenDeleted, whenScaled } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  const ours = new Set([set.metadata.uid, pod.metadata.uid]);
  const present = claim.metadata.ownerReferences ?? [];
  const others = present.filter(({ uid }) => !ours.has(uid));
  const manager = controllerOf(claim);
  const isManaged = manager !== undefined && !ours.has(manager.uid);
  const goesWithPod = whenScaled === "Delete" && !isInRange(set, pod);
  const own = goesWithPod ? podOwner(pod) : whenDeleted === "Delete" ? setOwner(set) : undefined;
  const wanted =
    own === undefined || isManaged ? others : [...others, present.find(({ uid }) => uid === own.uid) ?? own];
  const byUid = (references: readonly OwnerReference[]) => references.map(({ uid }) => uid).sort();
  return sameJson(byUid(present), byUid(wanted)) ? undefined : wanted;
}

const podOwner = ({ metadata: { name = "", uid = "" } }: Pod): OwnerReference => ({
  ...{ apiVersion: "v1", kind: "Pod", name, uid },
});

/** The pod is one of those that the set is to have. */
function isInRange(set: StatefulSet, pod: Pod): boolean {
  const ordinal = ordinalOf(pod, set);
  const start = set.spec?.ordinals?.start ?? 0;
  return ordinal !== undefined && ordinal >= start && ordinal < start + (set.spec?.replicas ?? 1);
}
