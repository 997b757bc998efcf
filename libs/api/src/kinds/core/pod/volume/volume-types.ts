import type { LabelSelector } from "../../../shared/label-selector.js";
import type { ClaimSpec } from "../../claim-spec.js";
import type { AzureDisk, FibreChannel, Flocker, Iscsi, Quobyte } from "../../volume-sources.js";

/** A field of the pod itself: `metadata.labels['app']`. */
export interface FieldRef {
  readonly apiVersion?: string;
  readonly fieldPath?: string;
}

/** An amount of a container's resources: `limits.cpu`. */
export interface ResourceFieldRef {
  readonly containerName?: string;
  readonly resource?: string;
  readonly divisor?: string;
}

interface Ref {
  readonly name?: string;
}

/** Its source is the one field besides the name; those without a member here have no rule beyond their type's. */
export interface Volume {
  readonly name?: string;
  readonly emptyDir?: { readonly sizeLimit?: string };
  readonly hostPath?: { readonly path?: string };
  readonly gitRepo?: { readonly directory?: string };
  readonly iscsi?: Iscsi;
  readonly persistentVolumeClaim?: { readonly claimName?: string };
  readonly cinder?: { readonly secretRef?: Ref };
  readonly flocker?: Flocker;
  readonly downwardAPI?: { readonly items?: readonly DownwardItem[] };
  readonly fc?: FibreChannel;
  readonly flexVolume?: { readonly options?: Readonly<Record<string, string>> };
  readonly configMap?: Ref;
  readonly quobyte?: Quobyte;
  readonly azureDisk?: AzureDisk;
  readonly storageos?: { readonly secretRef?: Ref };
  readonly projected?: { readonly sources?: readonly Projection[] };
  readonly csi?: { readonly driver?: string; readonly nodePublishSecretRef?: Ref };
  readonly ephemeral?: { readonly volumeClaimTemplate?: ClaimTemplate };
  readonly image?: { readonly reference?: string; readonly pullPolicy?: string };
}

export interface DownwardItem {
  readonly path?: string;
  readonly fieldRef?: FieldRef;
  readonly resourceFieldRef?: ResourceFieldRef;
}

export interface Projection {
  readonly secret?: ProjectedKeys;
  readonly configMap?: ProjectedKeys;
  readonly downwardAPI?: { readonly items?: readonly DownwardItem[] };
  readonly serviceAccountToken?: { readonly path?: string; readonly expirationSeconds?: number };
  readonly clusterTrustBundle?: TrustBundle;
}

export interface ProjectedKeys extends Ref {
  readonly items?: readonly { readonly path?: string }[];
}

export interface TrustBundle {
  readonly name?: string;
  readonly signerName?: string;
  readonly labelSelector?: LabelSelector;
  readonly path?: string;
}

/** A claim that is made for the pod and goes with it. */
export interface ClaimTemplate {
  readonly metadata?: Readonly<Record<string, unknown>> & {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: ClaimSpec;
}
