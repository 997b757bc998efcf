import type { Kind } from "./catalog.js";
import { homeOf } from "./openapi/docs.js";

const kinds: ReadonlySet<string> = new Set([
  "core.PersistentVolume",
  "core.PersistentVolumeClaim",
  "core.Pod",
  "core.PodTemplate",
  "core.ResourceQuota",
  "core.Service",
  "core.ServiceAccount",
  "policy.PodSecurityPolicy",
  "resource.DeviceClass",
  "resource.ResourceClaim",
  "resource.ResourceClaimTemplate",
  "resource.ResourceSlice",
  "storage.CSIDriver",
  "storage.CSINode",
  "storage.StorageClass",
  "storage.VolumeAttachment",
  "storage.VolumeAttributesClass",
]);

/** Whether a finished deletion answers what was deleted instead of a Status. */
export function answersDeletedObject(kind: Kind): boolean {
  const { home, name } = homeOf(kind.type.name);
  return kinds.has(`${home.split("/")[0]}.${name}`);
}
