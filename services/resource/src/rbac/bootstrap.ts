import type { Kind } from "@orch/api/catalog.js";
import { aggregatedRules } from "@orch/api/kinds/rbac/aggregation.js";
import { bootstrapPolicy, type PolicyOptions } from "@orch/api/kinds/rbac/bootstrap/policy.js";
import type { Binding, ClusterRole } from "@orch/api/kinds/rbac/types.js";
import { key } from "@orch/store/revision.js";
import { ensureKept, type KeptObject } from "../write/kept-object.js";
import { storedObject } from "../write/storing/stored.js";
import { builtIn, type WriteDeps } from "../write/write.js";
import { rightBinding, rightRole } from "./bootstrap-reconcile.js";

/**
 * Makes the roles and bindings of the beginning that are missing, and adds what is missing in those that are there. One
 * that fails holds up no other. How many it wrote. @throws ApiError the first failure, when all have been tried
 */
export async function ensureRbacObjects(deps: WriteDeps, options: PolicyOptions = {}): Promise<number> {
  const { naming } = deps;
  const kind = (name: string): Kind => builtIn({ deps }, `${naming.group("rbac.authorization")}/v1`, name);
  const keptRole = (of: Kind, role: ClusterRole) => kept(of, role, (stored) => rightRole(role, stored, naming));
  const keptBinding = (of: Kind, binding: Binding) =>
    kept(of, binding, (stored) => rightBinding(binding, stored, naming));
  const failures: unknown[] = [];
  const ensure = (object: KeptObject): Promise<boolean> =>
    ensureKept(deps, object).catch((error: unknown) => {
      failures.push(error);
      return false;
    });

  const policy = bootstrapPolicy(naming, options);
  const clusterRole = kind("ClusterRole");
  const plain = policy.clusterRoles.filter((role) => role.aggregationRule === undefined);
  const wrote = await Promise.all(
    [
      ...plain.map((role) => keptRole(clusterRole, role)),
      ...policy.roles.map((role) => keptRole(kind("Role"), role)),
      ...policy.clusterRoleBindings.map((binding) => keptBinding(kind("ClusterRoleBinding"), binding)),
      ...policy.roleBindings.map((binding) => keptBinding(kind("RoleBinding"), binding)),
    ].map(ensure),
  );
  // A controller keeps them as what they are made of; where none runs they are right at each start of a server at least.
  for (const role of policy.clusterRoles.filter((r) => r.aggregationRule !== undefined)) {
    const rules = aggregatedRules(role, await storedRoles(deps, clusterRole)) ?? [];
    wrote.push(await ensure(keptRole(clusterRole, { ...role, rules })));
  }
  if (failures.length > 0) throw failures[0];
  return wrote.filter(Boolean).length;
}

function kept(kind: Kind, { metadata }: ClusterRole | Binding, right: KeptObject["right"]): KeptObject {
  const { name = "", namespace = "" } = metadata;
  return { kind, namespace, name, right };
}

async function storedRoles({ store, naming }: WriteDeps, kind: Kind): Promise<readonly ClusterRole[]> {
  const { entries } = await store.range({
    prefix: key(`${naming.storePrefix}${kind.storage.prefix}/`),
    damaged: "told",
  });
  return entries.map((entry) => storedObject(kind, entry));
}
