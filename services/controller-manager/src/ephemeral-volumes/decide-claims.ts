import type { Volume } from "@orch/api/kinds/core/pod/volume/volume-types.js";
import type { ApiObject } from "@orch/client/objects.js";
import { controllerOf, isGoing, type Kind, referenceTo } from "../rim/objects.js";
import { hasEnded } from "../rim/pods.js";

export const podKind: Kind = {
  apiVersion: "v1",
  kind: "Pod",
  collection: { group: "", version: "v1", resource: "pods" },
};

/** A pod as this controller reads it. */
export interface VolumePod extends ApiObject {
  readonly spec?: { readonly volumes?: readonly Pick<Volume, "name" | "ephemeral">[] };
}

export type ClaimDecision =
  | { readonly action: "create"; readonly claim: ApiObject }
  /** A claim of that name is somebody else's. */
  | { readonly action: "refuse"; readonly problem: string };

export const hasEphemeral = ({ spec }: VolumePod): boolean =>
  (spec?.volumes ?? []).some(({ ephemeral }) => ephemeral !== undefined);

/** The claims of a pod's own volumes that are not there. `claimOf`: by its name, in the pod's namespace. */
export function decideClaims(
  pod: VolumePod,
  claimOf: (name: string) => ApiObject | undefined,
): readonly ClaimDecision[] {
  if (isGoing(pod) || hasEnded(pod)) return [];
  return (pod.spec?.volumes ?? []).flatMap((volume): readonly ClaimDecision[] => {
    if (volume.ephemeral === undefined) return [];
    const { name = "", namespace = "", uid } = pod.metadata;
    const claim = `${name}-${volume.name}`;
    const found = claimOf(claim);
    if (found !== undefined) {
      if (controllerOf(found)?.uid === uid) return [];
      const problem = `PVC ${namespace}/${claim} was not created for pod ${namespace}/${name} (pod is not owner)`;
      return [{ action: "refuse", problem }];
    }
    const { metadata = {}, spec = {} } = templateOf(volume.ephemeral);
    const { labels, annotations } = metadata;
    const made = {
      ...{ apiVersion: "v1", kind: "PersistentVolumeClaim" },
      metadata: {
        ...{ name: claim, namespace },
        ...(labels === undefined ? {} : { labels }),
        ...(annotations === undefined ? {} : { annotations }),
        ownerReferences: [referenceTo(podKind, pod)],
      },
      spec,
    };
    return [{ action: "create", claim: made }];
  });
}

interface ClaimTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: object;
}

const templateOf = (ephemeral: { readonly volumeClaimTemplate?: ClaimTemplate }): ClaimTemplate =>
  ephemeral.volumeClaimTemplate ?? {};
