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
    uid: naming.word("batch.orch/controller-uid"),
    name: naming.word("batch.orch/job-name"),
    oldUid: "controller-uid",
    oldName: "job-name",
  };
}
