import type { Naming } from "@orch/naming/naming.js";
import type { Seen } from "../rim/objects.js";
import type { LabelSelector } from "../rim/selection.js";

type Amounts = Readonly<Record<string, string>>;

export interface Claim extends Seen {
  readonly spec?: {
    readonly accessModes?: readonly string[];
    readonly resources?: { readonly requests?: Amounts };
    readonly selector?: LabelSelector;
    readonly storageClassName?: string;
    readonly volumeMode?: string;
    readonly volumeName?: string;
    readonly volumeAttributesClassName?: string;
  };
  readonly status?: {
    readonly phase?: string;
    readonly accessModes?: readonly string[];
    readonly capacity?: Amounts;
  };
}

export interface Volume extends Seen {
  readonly spec?: {
    readonly accessModes?: readonly string[];
    readonly capacity?: Amounts;
    readonly claimRef?: ClaimReference;
    readonly persistentVolumeReclaimPolicy?: string;
    readonly storageClassName?: string;
    readonly volumeMode?: string;
    readonly csi?: { readonly driver?: string };
    readonly volumeAttributesClassName?: string;
  };
  readonly status?: { readonly phase?: string; readonly message?: string };
}

export interface ClaimReference {
  readonly namespace?: string;
  readonly name?: string;
  /** Absent while the volume is only set aside for a claim of that name. */
  readonly uid?: string;
}

export interface StorageClass extends Seen {
  readonly provisioner?: string;
  readonly volumeBindingMode?: string;
}

/** Something that is told about an object. */
export interface Told {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** The keys that claims, volumes and classes are marked with. */
export interface BindingWords {
  /** On a claim: it was bound once. */
  readonly bindCompleted: string;
  /** On either: this controller has chosen the other one, and nobody by hand. */
  readonly boundByController: string;
  /** On a volume: by whom it was made for its claim. */
  readonly provisionedBy: string;
  /** On a claim: who is to make its volume; the second is read by provisioners of old. */
  readonly provisioners: readonly [string, string];
  /** On a claim: the node of its first pod. */
  readonly selectedNode: string;
  /** On a claim or a volume: its class, as it was named of old. */
  readonly className: string;
  /** On a class: claims without one are given it. */
  readonly isDefault: readonly [string, string];
  /** What names of this prefix would do is no part of any controller. */
  readonly builtIn: string;
}

export const bindingWords = (naming: Naming): BindingWords => ({
  bindCompleted: `pv.${naming.key("bind-completed")}`,
  boundByController: `pv.${naming.key("bound-by-controller")}`,
  provisionedBy: `pv.${naming.key("provisioned-by")}`,
  provisioners: [`volume.${naming.key("storage-provisioner")}`, `volume.beta.${naming.key("storage-provisioner")}`],
  selectedNode: `volume.${naming.key("selected-node")}`,
  className: `volume.beta.${naming.key("storage-class")}`,
  isDefault: [`storageclass.${naming.key("is-default-class")}`, `storageclass.beta.${naming.key("is-default-class")}`],
  builtIn: naming.key(""),
});

/** The class of a claim or a volume; empty for none. */
export function classOf({ metadata, spec }: Claim | Volume, words: BindingWords): string {
  return metadata.annotations?.[words.className] ?? spec?.storageClassName ?? "";
}

export const modeOf = ({ spec }: Claim | Volume): string => spec?.volumeMode ?? "Filesystem";

export const isMarked = ({ metadata }: Seen, annotation: string): boolean =>
  metadata.annotations?.[annotation] !== undefined;

/** `namespace/name` of the claim that a volume is bound to or set aside for. */
export const claimKeyOf = ({ namespace = "", name = "" }: ClaimReference): string => `${namespace}/${name}`;

/** The volume is the claim's, or set aside for a claim of its name. */
export function isHeldFor({ spec }: Volume, { metadata }: Claim): boolean {
  const ref = spec?.claimRef;
  if (ref === undefined || ref.name !== metadata.name || ref.namespace !== metadata.namespace) return false;
  return ref.uid === undefined || ref.uid === "" || ref.uid === metadata.uid;
}
