import type { ApiObject } from "../../object.js";
import type { LabelSelector } from "../shared/label-selector.js";

export interface PolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface Role extends ApiObject {
  readonly rules?: readonly PolicyRule[];
}

export interface ClusterRole extends Role {
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] };
}

export interface RoleRef {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

export interface Subject {
  readonly kind?: string;
  readonly apiGroup?: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** Of a namespace or of the cluster. */
export interface Binding extends ApiObject {
  readonly subjects?: readonly Subject[];
  readonly roleRef?: RoleRef;
}
