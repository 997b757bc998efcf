import { createHash } from "node:crypto";
import type { Naming } from "@orch/naming/naming.js";
import type { Seen } from "../rim/objects.js";
import type { SeenNode } from "../seen/node.js";
import type { Volume } from "../volume-binding/types.js";

/** A volume of a driver. */
export interface DriverVolume extends Volume {
  readonly spec?: Volume["spec"] & { readonly csi?: { readonly driver?: string; readonly volumeHandle?: string } };
}

/** What a driver is asked: that a volume is attached to a node. */
export interface VolumeAttachment extends Seen {
  readonly spec?: {
    readonly attacher?: string;
    readonly nodeName?: string;
    readonly source?: { readonly persistentVolumeName?: string };
  };
  readonly status?: { readonly attached?: boolean; readonly attachError?: { readonly message?: string } };
}

export interface Driver extends Seen {
  readonly spec?: { readonly attachRequired?: boolean };
}

/** A node with the volumes that it uses, and those that it has been told are attached. */
export interface VolumeNode extends SeenNode {
  readonly status?: SeenNode["status"] & {
    readonly volumesInUse?: readonly string[];
    readonly volumesAttached?: readonly { readonly name?: string; readonly devicePath?: string }[];
  };
}

/** By which nodes know a volume. */
export function uniqueName({ spec }: DriverVolume, naming: Naming): string {
  return naming.key(`csi/${spec?.csi?.driver ?? ""}^${spec?.csi?.volumeHandle ?? ""}`);
}

/** The same for everybody who asks for the same: `csi-` and the SHA-256 of handle, driver and node. */
export function attachmentName({ spec }: DriverVolume, node: string): string {
  const { volumeHandle = "", driver = "" } = spec?.csi ?? {};
  return `csi-${createHash("sha256")
    .update(volumeHandle + driver + node)
    .digest("hex")}`;
}

/** One node at a time. */
export function isExclusive({ spec }: Volume): boolean {
  const modes = spec?.accessModes ?? [];
  return modes.length > 0 && !modes.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany");
}
