import type { RawNodeAffinity, RawTaint, RawToleration } from "@orch/scheduling/model/objects.js";
import type { Seen } from "../rim/objects.js";
import type { PodTemplate } from "../rim/pod-control.js";
import type { LabelSelector } from "../rim/selection.js";
import type { Condition } from "../rim/status.js";

export interface DaemonSet extends Seen {
  readonly spec?: {
    readonly selector?: LabelSelector;
    readonly template?: PodTemplate & { readonly spec?: TemplateSpec };
    readonly updateStrategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly maxUnavailable?: number | string; readonly maxSurge?: number | string };
    };
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
  };
  readonly status?: DaemonSetStatus;
}

/** What of a template says on which nodes its pods run. */
export interface TemplateSpec {
  readonly nodeName?: string;
  readonly hostNetwork?: boolean;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: { readonly nodeAffinity?: RawNodeAffinity };
  readonly tolerations?: readonly RawToleration[];
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
  readonly conditions?: readonly Condition[];
}

export interface Node extends Seen {
  readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly RawTaint[] };
}
