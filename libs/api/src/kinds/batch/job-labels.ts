import type { Naming } from "@orch/naming/naming.js";

/** The labels by which a Job's pods are known: under names of the product, and under those of before. */
export interface JobLabels {
  readonly uid: string;
  readonly name: string;
  readonly oldUid: string;
  readonly oldName: string;
}

export function jobLabels(naming: Naming): JobLabels {
  return {
    uid: `batch.${naming.key("controller-uid")}`,
    name: `batch.${naming.key("job-name")}`,
    oldUid: "controller-uid",
    oldName: "job-name",
  };
}
