import type { Resources } from "@orch/api/kinds/core/resources.js";
import type { ApiObject } from "@orch/api/object.js";

/** The parts of a range that pods and claims are held to. */
export interface LimitRange extends ApiObject {
  readonly spec?: { readonly limits?: readonly Limit[] };
}

export interface Limit {
  readonly type?: string;
  readonly max?: Resources;
  readonly min?: Resources;
  readonly default?: Resources;
  readonly defaultRequest?: Resources;
  readonly maxLimitRequestRatio?: Resources;
}
