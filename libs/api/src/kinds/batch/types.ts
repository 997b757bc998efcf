import type { ApiObject } from "../../object.js";
import type { PodTemplate } from "../core/pod/template.js";
import type { LabelSelector } from "../shared/label-selector.js";

/** The parts of the kinds of `batch/v1` that rules look at. */
export interface Job extends ApiObject {
  readonly spec?: JobSpec;
  readonly status?: JobStatus;
}

export interface JobSpec {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly backoffLimit?: number;
  readonly backoffLimitPerIndex?: number;
  readonly maxFailedIndexes?: number;
  readonly podFailurePolicy?: PodFailurePolicy;
  readonly successPolicy?: SuccessPolicy;
  readonly selector?: LabelSelector;
  readonly manualSelector?: boolean;
  readonly template?: PodTemplate;
  readonly completionMode?: string;
  readonly suspend?: boolean;
  readonly podReplacementPolicy?: string;
  readonly managedBy?: string;
}

export interface PodFailurePolicy {
  readonly rules?: readonly PodFailureRule[];
}

export interface PodFailureRule {
  readonly action?: string;
  readonly onExitCodes?: {
    readonly containerName?: string;
    readonly operator?: string;
    readonly values?: readonly number[];
  };
  readonly onPodConditions?: readonly { readonly type?: string; readonly status?: string }[];
}

export interface SuccessPolicy {
  readonly rules?: readonly SuccessRule[];
}

export interface SuccessRule {
  readonly succeededIndexes?: string;
  readonly succeededCount?: number;
}

export interface JobStatus {
  readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly active?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly terminating?: number;
  readonly ready?: number;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly uncountedTerminatedPods?: { readonly succeeded?: readonly string[]; readonly failed?: readonly string[] };
}

export interface CronJob extends ApiObject {
  readonly spec?: CronJobSpec;
}

export interface CronJobSpec {
  readonly schedule?: string;
  readonly timeZone?: string;
  readonly concurrencyPolicy?: string;
  readonly jobTemplate?: { readonly spec?: JobSpec };
}
