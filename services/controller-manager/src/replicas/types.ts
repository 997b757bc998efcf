import type { Seen } from "../rim/objects.js";
import type { PodTemplate } from "../rim/pod-control.js";
import type { LabelSelector } from "../rim/selection.js";
import type { Condition } from "../rim/status.js";

/** A ReplicaSet, or a ReplicationController: their selectors differ. */
export interface ReplicaSet extends Seen {
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly selector?: LabelSelector;
    readonly template?: PodTemplate;
  };
  readonly status?: ReplicaStatus;
}

export interface ReplicaStatus {
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}
