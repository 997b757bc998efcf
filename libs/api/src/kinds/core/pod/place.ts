import type { Naming } from "@orch/naming/naming.js";

/** Where a pod's spec stands: in a pod or in a template. */
export interface PodPlace {
  readonly naming: Naming;
  /** The pod's name, `""` where it has none; undefined in a template, where there is no pod yet. */
  readonly pod?: string;
}
