import type { Behaviors } from "../../behavior.js";
import { clusterRoleBinding, roleBinding } from "./bindings.js";
import { clusterRole, role } from "./roles.js";

/** The versions before v1 default as it does: what they leave out is filled in the stored version. */
export const rbacBehaviors: Behaviors = [
  ["rbac/v1.ClusterRole", clusterRole],
  ["rbac/v1.ClusterRoleBinding", clusterRoleBinding],
  ["rbac/v1.Role", role],
  ["rbac/v1.RoleBinding", roleBinding],
];
