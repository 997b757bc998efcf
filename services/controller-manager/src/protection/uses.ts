import type { Volume } from "@orch/api/kinds/core/pod/volume/volume-types.js";
import type { ApiObject } from "@orch/client/objects.js";

/** What is kept of a pod: which claims it holds. */
export interface ClaimUser extends ApiObject {
  readonly claims: readonly string[];
}

interface SeenPod extends ApiObject {
  readonly spec?: { readonly nodeName?: string; readonly volumes?: readonly SeenVolume[] };
  readonly status?: { readonly phase?: string };
}

type SeenVolume = Pick<Volume, "name" | "ephemeral" | "persistentVolumeClaim">;

const over: ReadonlySet<string | undefined> = new Set(["Succeeded", "Failed"]);

/**
 * The claims that a pod holds: those of its volumes, and those that were made for it, as long as it runs. A pod without a
 * node holds none: no node starts it once its claim goes.
 */
export function claimsOf(pod: ApiObject): readonly string[] {
  const { metadata, spec, status }: SeenPod = pod;
  if ((spec?.nodeName ?? "") === "" || over.has(status?.phase)) return [];
  return (spec?.volumes ?? []).flatMap((volume) => {
    if (volume.ephemeral !== undefined) return [`${metadata.name}-${volume.name}`];
    return volume.persistentVolumeClaim?.claimName ?? [];
  });
}
