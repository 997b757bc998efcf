import type { Naming } from "@orch/naming/naming.js";
import type { FieldError } from "@orch/status/field-error.js";

/** Where a pod's spec stands: in a pod or in a template. */
export interface PodPlace {
  readonly naming: Naming;
  /** The pod's name, `""` where it has none; undefined in a template, where there is no pod yet. */
  readonly pod?: string;
  /** What the walk over the type has found: a volume of which there is something is none to mount. */
  readonly found?: readonly FieldError[];
}
