import type { JobSpec as ApiJobSpec, JobStatus as ApiJobStatus } from "@orch/api/kinds/batch/types.js";
import type { Seen } from "../rim/objects.js";
import type { PodTemplate } from "../rim/pod-control.js";
import type { LabelSelector } from "../rim/selection.js";
import type { Condition } from "../rim/status.js";

export interface Job extends Seen {
  readonly spec?: JobSpec;
  readonly status?: JobStatus;
}

export interface JobSpec extends Omit<ApiJobSpec, "template" | "selector"> {
  readonly selector?: LabelSelector;
  readonly template?: PodTemplate;
  readonly activeDeadlineSeconds?: number | bigint;
  readonly ttlSecondsAfterFinished?: number;
}

export interface JobStatus extends Omit<ApiJobStatus, "conditions"> {
  readonly conditions?: readonly JobCondition[];
}

export interface JobCondition extends Condition {
  readonly lastProbeTime?: string;
}

/** The keys of annotations and labels in the dialect in force. */
export interface JobKeys {
  readonly finalizer: string;
  readonly index: string;
  readonly failureCount: string;
  readonly ignoredFailureCount: string;
}
