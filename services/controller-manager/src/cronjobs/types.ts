import type { JobSpec } from "../jobs/types.js";
import type { Meta, Seen } from "../rim/objects.js";

export interface CronJob extends Seen {
  readonly spec?: {
    readonly schedule?: string;
    readonly timeZone?: string;
    readonly startingDeadlineSeconds?: number | bigint;
    readonly concurrencyPolicy?: string;
    readonly suspend?: boolean;
    readonly successfulJobsHistoryLimit?: number;
    readonly failedJobsHistoryLimit?: number;
    readonly jobTemplate?: { readonly metadata?: Pick<Meta, "labels" | "annotations">; readonly spec?: JobSpec };
  };
  readonly status?: CronJobStatus;
}

export interface CronJobStatus {
  readonly active?: readonly JobReference[];
  readonly lastScheduleTime?: string;
  readonly lastSuccessfulTime?: string;
}

export interface JobReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}
