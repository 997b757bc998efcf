import type { Meta, Seen } from "../rim/objects.js";
import type { PodTemplate } from "../rim/pod-control.js";
import type { LabelSelector } from "../rim/selection.js";
import type { Condition } from "../rim/status.js";

export interface StatefulSet extends Seen {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: LabelSelector;
    readonly template?: PodTemplate;
    readonly serviceName?: string;
    readonly volumeClaimTemplates?: readonly ClaimTemplate[];
    readonly podManagementPolicy?: string;
    readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: { readonly partition?: number } };
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
    readonly ordinals?: { readonly start?: number };
    readonly persistentVolumeClaimRetentionPolicy?: { readonly whenDeleted?: string; readonly whenScaled?: string };
  };
  readonly status?: StatefulSetStatus;
}

export interface ClaimTemplate {
  readonly metadata?: Meta;
  readonly spec?: object;
}

export interface StatefulSetStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly currentReplicas?: number;
  readonly updatedReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly collisionCount?: number;
  readonly conditions?: readonly Condition[];
}

/** The keys of labels in the dialect in force. */
export interface StatefulSetKeys {
  readonly podName: string;
  readonly podIndex: string;
}

export const startOf = ({ spec }: StatefulSet): number => spec?.ordinals?.start ?? 0;
export const countOf = ({ spec }: StatefulSet): number => spec?.replicas ?? 1;
export const isParallel = ({ spec }: StatefulSet): boolean => spec?.podManagementPolicy === "Parallel";
