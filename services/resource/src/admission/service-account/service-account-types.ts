import type { PodSpec } from "@orch/api/kinds/core/pod/types.js";
import type { ApiObject } from "@orch/api/object.js";

interface Named {
  readonly name?: string;
}

/** The parts of a service account that pods depend on. */
export interface ServiceAccount extends ApiObject {
  readonly secrets?: readonly Named[];
  readonly imagePullSecrets?: readonly Named[];
  readonly automountServiceAccountToken?: boolean;
}

/** A pod, with what its account has a say in. */
export interface AccountedPod extends ApiObject {
  readonly spec?: AccountedPodSpec;
}

export interface AccountedPodSpec extends PodSpec {
  readonly imagePullSecrets?: readonly Named[];
  readonly automountServiceAccountToken?: boolean;
}
