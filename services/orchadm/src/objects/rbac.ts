import type { Naming } from "@orch/naming/naming.js";
import type { Cluster } from "../cluster.js";

export interface Rule {
  readonly verbs: readonly string[];
  /** The core group where absent. */
  readonly apiGroups?: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface Subject {
  readonly kind: "Group" | "User" | "ServiceAccount";
  readonly name: string;
  readonly namespace?: string;
}

export const groupNamed = (name: string): Subject => ({ kind: "Group", name });

/** Writes roles and bindings. */
export function accessRules(cluster: Pick<Cluster, "ensure">, naming: Naming) {
  const group = naming.group("rbac.authorization");
  const at = (resource: string, namespace?: string) => ({
    ...{ group, version: "v1", resource },
    ...(namespace === undefined ? {} : { namespace }),
  });
  const head = (kind: string, name: string, namespace?: string) => ({
    ...{ apiVersion: `${group}/v1`, kind },
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  });
  const ruled = ({ verbs, apiGroups = [""], resources, resourceNames }: Rule) => ({
    ...{ verbs, apiGroups, resources },
    ...(resourceNames === undefined ? {} : { resourceNames }),
  });
  const bound = (kind: "Role" | "ClusterRole", name: string, subjects: readonly Subject[]) => ({
    roleRef: { apiGroup: group, kind, name },
    subjects: subjects.map((subject) =>
      subject.kind === "ServiceAccount" ? subject : { apiGroup: group, ...subject },
    ),
  });
  return {
    /** A role of a namespace and who has it, by one name. */
    async role(namespace: string, name: string, rules: readonly Rule[], subjects: readonly Subject[]): Promise<void> {
      await cluster.ensure(at("roles", namespace), { ...head("Role", name, namespace), rules: rules.map(ruled) });
      const binding = { ...head("RoleBinding", name, namespace), ...bound("Role", name, subjects) };
      await cluster.ensure(at("rolebindings", namespace), binding);
    },
    async clusterRole(name: string, rules: readonly Rule[]): Promise<void> {
      await cluster.ensure(at("clusterroles"), { ...head("ClusterRole", name), rules: rules.map(ruled) });
    },
    /** Who has a role of the cluster. */
    async clusterBinding(name: string, role: string, subjects: readonly Subject[]): Promise<void> {
      const binding = { ...head("ClusterRoleBinding", name), ...bound("ClusterRole", role, subjects) };
      await cluster.ensure(at("clusterrolebindings"), binding);
    },
  };
}
