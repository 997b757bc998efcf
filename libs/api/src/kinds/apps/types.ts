import type { ApiObject } from "../../object.js";
import type { PodTemplate } from "../core/pod/template.js";
import type { IntOrPercent } from "../shared/int-or-percent.js";
import type { LabelSelector } from "../shared/label-selector.js";

/** The parts of the kinds of `apps/v1` that rules look at. */
export interface Deployment extends ApiObject {
  readonly spec?: DeploymentSpec;
  readonly status?: DeploymentStatus;
}

export interface DeploymentSpec {
  readonly replicas?: number;
  readonly selector?: LabelSelector;
  readonly template?: PodTemplate;
  readonly strategy?: Strategy<RollingUpdate>;
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly progressDeadlineSeconds?: number;
}

export interface Strategy<Rolling> {
  readonly type?: string;
  readonly rollingUpdate?: Rolling;
}

export interface RollingUpdate {
  readonly maxUnavailable?: IntOrPercent;
  readonly maxSurge?: IntOrPercent;
}

export interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly collisionCount?: number;
}

export interface ReplicaSet extends ApiObject {
  readonly spec?: { readonly replicas?: number; readonly selector?: LabelSelector; readonly template?: PodTemplate };
  readonly status?: ReplicaSetStatus;
}

export interface ReplicaSetStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
}

export interface DaemonSet extends ApiObject {
  readonly spec?: DaemonSetSpec;
  readonly status?: DaemonSetStatus;
}

export interface DaemonSetSpec {
  readonly selector?: LabelSelector;
  readonly template?: PodTemplate;
  readonly updateStrategy?: Strategy<RollingUpdate>;
}

export interface DaemonSetStatus {
  readonly observedGeneration?: number;
  readonly currentNumberScheduled?: number;
  readonly numberMisscheduled?: number;
  readonly desiredNumberScheduled?: number;
  readonly numberReady?: number;
  readonly updatedNumberScheduled?: number;
  readonly numberAvailable?: number;
  readonly numberUnavailable?: number;
  readonly collisionCount?: number;
}

export interface StatefulSet extends ApiObject {
  readonly spec?: StatefulSetSpec;
  readonly status?: StatefulSetStatus;
}

export interface StatefulSetSpec {
  readonly replicas?: number;
  readonly selector?: LabelSelector;
  readonly template?: PodTemplate;
  readonly volumeClaimTemplates?: readonly ClaimTemplate[];
  readonly podManagementPolicy?: string;
  readonly updateStrategy?: Strategy<{ readonly partition?: number; readonly maxUnavailable?: IntOrPercent }>;
  readonly minReadySeconds?: number;
  readonly ordinals?: { readonly start?: number };
  readonly persistentVolumeClaimRetentionPolicy?: { readonly whenDeleted?: string; readonly whenScaled?: string };
}

/** A claim without a name of its own place: `core/v1.PersistentVolumeClaim`. */
export interface ClaimTemplate {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly spec?: { readonly volumeMode?: string };
  readonly status?: { readonly phase?: string };
}

export interface StatefulSetStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly currentReplicas?: number;
  readonly updatedReplicas?: number;
  readonly availableReplicas?: number;
  readonly collisionCount?: number;
}
