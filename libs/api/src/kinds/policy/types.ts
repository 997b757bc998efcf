import type { ApiObject } from "../../object.js";
import type { Condition } from "../shared/conditions.js";
import type { IntOrPercent } from "../shared/int-or-percent.js";
import type { LabelSelector } from "../shared/label-selector.js";

/** `policy/v1`, the stored version. */
export interface PodDisruptionBudget extends ApiObject {
  readonly spec?: {
    readonly minAvailable?: IntOrPercent;
    readonly maxUnavailable?: IntOrPercent;
    readonly selector?: LabelSelector;
    readonly unhealthyPodEvictionPolicy?: string;
  };
  readonly status?: BudgetStatus;
}

export interface BudgetStatus {
  readonly observedGeneration?: number;
  readonly disruptionsAllowed?: number;
  readonly currentHealthy?: number;
  readonly desiredHealthy?: number;
  readonly expectedPods?: number;
  /** When a pod was allowed to go, by its name: until its controller has seen it. */
  readonly disruptedPods?: Readonly<Record<string, string>>;
  readonly conditions?: readonly Condition[];
}

/** `policy/v1beta1`, of releases before 1.25. */
export interface PodSecurityPolicy extends ApiObject {
  readonly spec?: PolicySpec;
}

export interface PolicyRange {
  readonly min?: number;
  readonly max?: number;
}

export interface PolicyRule {
  readonly rule?: string;
  readonly ranges?: readonly PolicyRange[];
}

export interface PolicySpec {
  readonly defaultAddCapabilities?: readonly string[];
  readonly requiredDropCapabilities?: readonly string[];
  readonly allowedCapabilities?: readonly string[];
  readonly volumes?: readonly string[];
  readonly seLinux?: PolicyRule;
  readonly runAsUser?: PolicyRule;
  readonly runAsGroup?: PolicyRule;
  readonly supplementalGroups?: PolicyRule;
  readonly fsGroup?: PolicyRule;
  readonly defaultAllowPrivilegeEscalation?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly allowedHostPaths?: readonly { readonly pathPrefix?: string }[];
  readonly allowedFlexVolumes?: readonly { readonly driver?: string }[];
  readonly allowedCSIDrivers?: readonly { readonly name?: string }[];
  readonly allowedUnsafeSysctls?: readonly string[];
  readonly forbiddenSysctls?: readonly string[];
  readonly runtimeClass?: {
    readonly allowedRuntimeClassNames?: readonly string[];
    readonly defaultRuntimeClassName?: string;
  };
}
