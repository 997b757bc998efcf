import type { Behaviors } from "../../behavior.js";
import { csiDriver } from "./csi-driver.js";
import { csiNode } from "./csi-node.js";
import { csiStorageCapacity } from "./csi-storage-capacity.js";
import { storageClass } from "./storage-class.js";
import { volumeAttachment } from "./volume-attachment.js";
import { volumeAttributesClass } from "./volume-attributes-class.js";

/** Versions that are not stored have the hub's shape and defaults; these come with the hub's. */
export const storageBehaviors: Behaviors = [
  ["storage/v1.CSIDriver", csiDriver],
  ["storage/v1.CSINode", csiNode],
  ["storage/v1.CSIStorageCapacity", csiStorageCapacity],
  ["storage/v1.StorageClass", storageClass],
  ["storage/v1.VolumeAttachment", volumeAttachment],
  ["storage/v1beta1.VolumeAttributesClass", volumeAttributesClass],
];
