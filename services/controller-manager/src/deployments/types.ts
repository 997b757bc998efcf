import type { ReplicaSet } from "../replicas/types.js";
import type { Seen } from "../rim/objects.js";
import type { PodTemplate } from "../rim/pod-control.js";
import type { LabelSelector } from "../rim/selection.js";
import type { Condition } from "../rim/status.js";

export interface Deployment extends Seen {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: LabelSelector;
    readonly template?: PodTemplate;
    readonly strategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly maxUnavailable?: number | string; readonly maxSurge?: number | string };
    };
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
    readonly progressDeadlineSeconds?: number;
    readonly paused?: boolean;
  };
  readonly status?: DeploymentStatus;
}

export interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly Condition[];
}

/** The sets of a deployment: the one that has its template, and the others, oldest first. */
export interface Sets {
  readonly newest: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

export const sizeOf = ({ spec }: ReplicaSet): number => spec?.replicas ?? 1;
export const availableOf = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0;
export const wantedOf = ({ spec }: Deployment): number => spec?.replicas ?? 1;
export const sumOf = (sets: readonly ReplicaSet[], of: (set: ReplicaSet) => number): number =>
  sets.reduce((sum, set) => sum + of(set), 0);

/** The keys of annotations and labels in the dialect in force. */
export interface DeploymentKeys {
  readonly revision: string;
  readonly history: string;
  readonly desired: string;
  readonly max: string;
  /** Annotation of the client that applies on its own side. */
  readonly lastApplied: string;
  /** The label that tells the pods of one set from those of another. */
  readonly hash: string;
}
