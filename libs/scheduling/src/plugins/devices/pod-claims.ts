import type { ResourceClaim } from "../../cluster/device-objects.js";
import type { OtherObjects } from "../../cluster/objects.js";
import type { PodInfo } from "../../model/pod-info.js";

export interface PodClaim {
  /** `namespace/name`. */
  readonly key: string;
  readonly claim: ResourceClaim;
}

/** The claims of a pod, or why one of them is not to be had yet. */
export function podClaims(pod: PodInfo, objects: OtherObjects): readonly PodClaim[] | string {
  const claims: PodClaim[] = [];
  for (const { name = "", resourceClaimName, resourceClaimTemplateName } of pod.raw.spec?.resourceClaims ?? []) {
    const generated = pod.raw.status?.resourceClaimStatuses?.find((status) => status.name === name);
    const isGenerated = resourceClaimTemplateName !== undefined;
    if (isGenerated && generated === undefined) {
      return `pod ${JSON.stringify(pod.key)}: ResourceClaim not created yet`;
    }
    const claimName = isGenerated ? generated?.resourceClaimName : resourceClaimName;
    // The controller has decided that this one needs no claim.
    if (claimName === undefined) continue;
    const key = `${pod.namespace}/${claimName}`;
    const claim = objects.ResourceClaim.get(key);
    if (claim === undefined) return `resourceclaim ${JSON.stringify(claimName)} not found`;
    if (claim.metadata?.deletionTimestamp !== undefined) {
      return `resourceclaim ${JSON.stringify(claimName)} is being deleted`;
    }
    const isOwned = claim.metadata?.ownerReferences?.some(
      (owner) => owner.controller === true && owner.uid === pod.uid,
    );
    if (isGenerated && isOwned !== true) {
      return `ResourceClaim ${JSON.stringify(key)} was not created for pod ${JSON.stringify(pod.key)} (pod is not owner)`;
    }
    claims.push({ key, claim });
  }
  return claims;
}
