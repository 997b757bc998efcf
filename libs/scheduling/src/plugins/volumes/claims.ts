import type { OtherKinds, OtherObjects } from "../../cluster/objects.js";
import type { PodInfo } from "../../model/pod-info.js";

export type Claim = OtherKinds["PersistentVolumeClaim"];
export type Volume = OtherKinds["PersistentVolume"];

/** A claim that a pod names. */
export interface NamedClaim {
  /** `namespace/name`. */
  readonly key: string;
  readonly name: string;
  /** Made for a volume of the pod, which has to be its owner. */
  readonly isEphemeral: boolean;
}

/** Of each volume that is a claim; that of an ephemeral volume has the names of both. */
export function claimsOf({ namespace, name: pod, volumes }: PodInfo): readonly NamedClaim[] {
  return volumes.flatMap(({ name: volume = "", persistentVolumeClaim, ephemeral }) => {
    const isEphemeral = ephemeral !== undefined;
    if (persistentVolumeClaim === undefined && !isEphemeral) return [];
    const name = persistentVolumeClaim?.claimName ?? `${pod}-${volume}`;
    return [{ key: `${namespace}/${name}`, name, isEphemeral }];
  });
}

/** Those that the pod names itself. */
export const listedClaimsOf = (pod: PodInfo): readonly NamedClaim[] =>
  claimsOf(pod).filter(({ isEphemeral }) => !isEphemeral);

export type LookedUp = { readonly claim: Claim } | { readonly problem: string };

/** The claim as it is, or why the pod cannot have it. */
export function lookUp({ key, name, isEphemeral }: NamedClaim, pod: PodInfo, objects: OtherObjects): LookedUp {
  const claim = objects.PersistentVolumeClaim.get(key);
  const quoted = JSON.stringify(name);
  if (claim === undefined) {
    return {
      problem: isEphemeral
        ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${quoted}`
        : `persistentvolumeclaim ${quoted} not found`,
    };
  }
  if (claim.status?.phase === "Lost") {
    const volume = JSON.stringify(claim.spec?.volumeName ?? "");
    return { problem: `persistentvolumeclaim ${quoted} bound to non-existent persistentvolume ${volume}` };
  }
  if (claim.metadata?.deletionTimestamp !== undefined) {
    return { problem: `persistentvolumeclaim ${quoted} is being deleted` };
  }
  const isOwned = claim.metadata?.ownerReferences?.some(
    ({ uid, controller }) => controller === true && uid === pod.uid,
  );
  if (isEphemeral && isOwned !== true) {
    return {
      problem: `PVC ${JSON.stringify(key)} was not created for pod ${JSON.stringify(pod.key)} (pod is not owner)`,
    };
  }
  return { claim };
}

/** The class that a claim names, by the annotation of old first. */
export const classOf = ({ metadata, spec }: Claim | Volume, annotation: string): string =>
  metadata?.annotations?.[annotation] ?? spec?.storageClassName ?? "";

export const claimKey = ({ metadata }: Claim): string => `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}`;
