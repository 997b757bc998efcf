import type { Seen } from "../rim/objects.js";
import type { Pod, PodClaim } from "../rim/pods.js";

/** A claim of devices. */
export interface ResourceClaim extends Seen {
  readonly spec?: object;
  readonly status?: {
    readonly allocation?: object;
    readonly reservedFor?: readonly Consumer[];
  };
}

export interface Consumer {
  readonly apiGroup?: string;
  readonly resource?: string;
  readonly name?: string;
  readonly uid?: string;
}

export interface ClaimTemplate extends Seen {
  readonly spec?: {
    readonly metadata?: {
      readonly labels?: Readonly<Record<string, string>>;
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly spec?: object;
  };
}

export const podClaimsOf = ({ spec }: Pod): readonly PodClaim[] => spec?.resourceClaims ?? [];

/** The claim of an entry; undefined where there is none yet, null where none is needed. */
export function claimNameOf(
  pod: Pod,
  { name, resourceClaimName, resourceClaimTemplateName }: PodClaim,
): string | null | undefined {
  if (resourceClaimName !== undefined) return resourceClaimName;
  if (resourceClaimTemplateName === undefined) return null;
  const made = pod.status?.resourceClaimStatuses?.find((status) => status.name === name);
  return made === undefined ? undefined : (made.resourceClaimName ?? null);
}

/** It has ended, or goes and never had a node. */
export function isPodDone({ metadata, spec, status }: Pod): boolean {
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return true;
  return metadata.deletionTimestamp !== undefined && (spec?.nodeName ?? "") === "";
}
