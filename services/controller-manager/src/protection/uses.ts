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

interface WithAttributes extends ApiObject {
  readonly spec?: { readonly volumeAttributesClassName?: string };
  readonly status?: {
    readonly currentVolumeAttributesClassName?: string;
    readonly modifyVolumeStatus?: { readonly targetVolumeAttributesClassName?: string };
  };
}

/** The classes of attributes that a claim or a volume has, wants, and is being given. */
export function attributesOf(object: ApiObject): readonly string[] {
  const { spec, status }: WithAttributes = object;
  const { currentVolumeAttributesClassName: current, modifyVolumeStatus } = status ?? {};
  const all = [spec?.volumeAttributesClassName, current, modifyVolumeStatus?.targetVolumeAttributesClassName];
  return [...new Set(all.flatMap((each) => (each === undefined || each === "" ? [] : [each])))];
}
