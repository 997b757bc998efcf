import type { LabelSelector } from "@orch/api/kinds/shared/label-selector.js";

/** The fields of API objects that scheduling reads. What is absent in an object is absent here. */
export interface RawMeta {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly ownerReferences?: readonly {
    readonly kind?: string;
    readonly name?: string;
    readonly uid?: string;
    readonly controller?: boolean;
  }[];
}

export type RawAmounts = Readonly<Record<string, string | number>>;

export interface RawToleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

export interface RawRequirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

export interface RawNodeTerm {
  readonly matchExpressions?: readonly RawRequirement[];
  readonly matchFields?: readonly RawRequirement[];
}

export interface RawNodeSelector {
  readonly nodeSelectorTerms?: readonly RawNodeTerm[];
}

export interface RawNodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: RawNodeSelector;
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly weight?: number;
    readonly preference?: RawNodeTerm;
  }[];
}

export interface RawPodTerm {
  readonly labelSelector?: LabelSelector;
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: LabelSelector;
  readonly topologyKey?: string;
}

export interface RawPodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly RawPodTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly weight?: number;
    readonly podAffinityTerm?: RawPodTerm;
  }[];
}

export interface RawSpread {
  readonly maxSkew?: number;
  readonly topologyKey?: string;
  readonly whenUnsatisfiable?: string;
  readonly labelSelector?: LabelSelector;
  readonly minDomains?: number;
  readonly nodeAffinityPolicy?: string;
  readonly nodeTaintsPolicy?: string;
  readonly matchLabelKeys?: readonly string[];
}

export interface RawContainer {
  readonly name?: string;
  readonly image?: string;
  readonly restartPolicy?: string;
  readonly resources?: { readonly requests?: RawAmounts; readonly limits?: RawAmounts };
  readonly ports?: readonly { readonly hostPort?: number; readonly hostIP?: string; readonly protocol?: string }[];
}

export interface RawVolume {
  readonly name?: string;
  readonly persistentVolumeClaim?: { readonly claimName?: string; readonly readOnly?: boolean };
  readonly ephemeral?: object;
  readonly csi?: { readonly driver?: string };
  readonly gcePersistentDisk?: { readonly pdName?: string; readonly readOnly?: boolean };
  readonly awsElasticBlockStore?: { readonly volumeID?: string };
  readonly iscsi?: { readonly iqn?: string; readonly readOnly?: boolean };
  readonly rbd?: {
    readonly monitors?: readonly string[];
    readonly pool?: string;
    readonly image?: string;
    readonly readOnly?: boolean;
  };
}

export interface RawPod {
  readonly metadata?: RawMeta;
  readonly spec?: {
    readonly nodeName?: string;
    readonly schedulerName?: string;
    readonly priority?: number;
    readonly preemptionPolicy?: string;
    readonly containers?: readonly RawContainer[];
    readonly initContainers?: readonly RawContainer[];
    readonly overhead?: RawAmounts;
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly affinity?: {
      readonly nodeAffinity?: RawNodeAffinity;
      readonly podAffinity?: RawPodAffinity;
      readonly podAntiAffinity?: RawPodAffinity;
    };
    readonly tolerations?: readonly RawToleration[];
    readonly topologySpreadConstraints?: readonly RawSpread[];
    readonly schedulingGates?: readonly { readonly name?: string }[];
    readonly volumes?: readonly RawVolume[];
    readonly resourceClaims?: readonly {
      readonly name?: string;
      readonly resourceClaimName?: string;
      readonly resourceClaimTemplateName?: string;
    }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly startTime?: string;
    readonly nominatedNodeName?: string;
    readonly conditions?: readonly {
      readonly type?: string;
      readonly status?: string;
      readonly reason?: string;
      readonly lastTransitionTime?: string;
    }[];
    readonly resourceClaimStatuses?: readonly { readonly name?: string; readonly resourceClaimName?: string }[];
  };
}

export interface RawTaint {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: string;
}

export interface RawNode {
  readonly metadata?: RawMeta;
  readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly RawTaint[] };
  readonly status?: {
    readonly allocatable?: RawAmounts;
    readonly capacity?: RawAmounts;
    readonly conditions?: readonly { readonly type?: string; readonly status?: string; readonly reason?: string }[];
    readonly images?: readonly { readonly names?: readonly string[]; readonly sizeBytes?: number }[];
  };
}
