import type { ApiObject } from "../../object.js";
import type { Condition } from "../shared/conditions.js";
import type { LabelSelector } from "../shared/label-selector.js";

/** `autoscaling/v2`, the stored version. */
export interface Autoscaler extends ApiObject {
  readonly spec?: AutoscalerSpec;
  readonly status?: AutoscalerStatus;
}

export interface AutoscalerSpec {
  readonly scaleTargetRef?: ObjectReference;
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly metrics?: readonly Metric[];
  readonly behavior?: ScalingBehavior;
}

export interface ObjectReference {
  readonly kind?: string;
  readonly name?: string;
  readonly apiVersion?: string;
}

/** What is measured and what it should be: exactly the source that `type` names. */
export interface Metric {
  readonly type?: string;
  readonly object?: MetricSource & { readonly describedObject?: ObjectReference };
  readonly pods?: MetricSource;
  readonly resource?: ResourceSource;
  readonly containerResource?: ResourceSource & { readonly container?: string };
  readonly external?: MetricSource;
}

export interface MetricSource {
  readonly metric?: { readonly name?: string; readonly selector?: LabelSelector };
  readonly target?: MetricTarget;
}

export interface ResourceSource {
  readonly name?: string;
  readonly target?: MetricTarget;
}

export interface MetricTarget {
  readonly type?: string;
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: number;
}

export const sourceNames = ["object", "external", "pods", "resource", "containerResource"] as const;
export type SourceName = (typeof sourceNames)[number];

export interface ScalingBehavior {
  readonly scaleUp?: ScalingRules;
  readonly scaleDown?: ScalingRules;
}

export interface ScalingRules {
  readonly stabilizationWindowSeconds?: number;
  readonly selectPolicy?: string;
  readonly policies?: readonly ScalingPolicy[];
}

export interface ScalingPolicy {
  readonly type?: string;
  readonly value?: number;
  readonly periodSeconds?: number;
}

export interface AutoscalerStatus {
  readonly currentReplicas?: number;
  readonly desiredReplicas?: number;
  readonly currentMetrics?: readonly MetricStatus[];
  readonly conditions?: readonly Condition[];
}

export interface MetricStatus {
  readonly type?: string;
  readonly resource?: { readonly name?: string; readonly current?: MetricTarget };
}
