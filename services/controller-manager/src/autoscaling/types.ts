import type { Seen } from "../rim/objects.js";
import type { LabelSelector } from "../rim/selection.js";
import type { Condition } from "../rim/status.js";

/** Quantities as the wire has them. */
export interface MetricTarget {
  readonly type?: "Utilization" | "Value" | "AverageValue";
  /** Of what its pods request, in percent. */
  readonly averageUtilization?: number;
  readonly averageValue?: string | number;
  readonly value?: string | number;
}

export interface MetricIdentifier {
  readonly name: string;
  readonly selector?: LabelSelector;
}

export interface TargetReference {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
}

/** One of them is there, as `type` says. */
export interface MetricSpec {
  readonly type: "Resource" | "ContainerResource" | "Pods" | "Object" | "External";
  readonly resource?: { readonly name: string; readonly target: MetricTarget };
  readonly containerResource?: { readonly name: string; readonly container: string; readonly target: MetricTarget };
  readonly pods?: { readonly metric: MetricIdentifier; readonly target: MetricTarget };
  readonly object?: {
    readonly describedObject: TargetReference;
    readonly metric: MetricIdentifier;
    readonly target: MetricTarget;
  };
  readonly external?: { readonly metric: MetricIdentifier; readonly target: MetricTarget };
}

export interface ScalingPolicy {
  readonly type: "Pods" | "Percent";
  readonly value: number;
  readonly periodSeconds: number;
}

export interface ScalingRules {
  readonly stabilizationWindowSeconds?: number;
  readonly selectPolicy?: "Max" | "Min" | "Disabled";
  readonly policies?: readonly ScalingPolicy[];
}

export interface Behavior {
  readonly scaleUp?: ScalingRules;
  readonly scaleDown?: ScalingRules;
}

export interface Autoscaler extends Seen {
  readonly spec?: {
    readonly scaleTargetRef?: TargetReference;
    readonly minReplicas?: number;
    readonly maxReplicas?: number;
    readonly metrics?: readonly MetricSpec[];
    readonly behavior?: Behavior;
  };
  readonly status?: AutoscalerStatus;
}

export interface AutoscalerStatus {
  readonly lastScaleTime?: string;
  readonly currentReplicas?: number;
  readonly desiredReplicas?: number;
  readonly currentMetrics?: readonly object[] | null;
  readonly conditions?: readonly Condition[];
}
