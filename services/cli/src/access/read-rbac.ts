import { bindingRecord, type RoleRecord, roleRecord } from "@orch/auth/rbac/rbac-objects.js";
import type { RbacObjects } from "@orch/auth/rbac/who-may.js";
import { listAll } from "@orch/client/list-all.js";
import type { ApiObject } from "@orch/client/objects.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Session } from "../explain/session.js";

export interface ReadRbac {
  readonly objects: RbacObjects;
  /** Which of the four the caller may not list. */
  readonly unread: readonly string[];
}

/** The roles and bindings that count in a namespace; in none those of the cluster alone. @throws ApiError */
export async function readRbac({ client, naming }: Session, namespace: string): Promise<ReadRbac> {
  const unread: string[] = [];
  const list = async (resource: string, of: { readonly namespace?: string }): Promise<readonly ApiObject[]> => {
    const collection = { group: naming.group("rbac.authorization"), version: "v1", resource, ...of };
    try {
      return (await listAll(client, collection)).items;
    } catch (error) {
      if (!(error instanceof ApiError) || (error.reason !== "Forbidden" && error.reason !== "NotFound")) throw error;
      unread.push(resource);
      return [];
    }
  };
  const within = (resource: string): Promise<readonly ApiObject[]> =>
    namespace === "" ? Promise.resolve([]) : list(resource, { namespace });
  const [clusterRoles, clusterBindings, roles, bindings] = await Promise.all([
    ...[list("clusterroles", {}), list("clusterrolebindings", {})],
    ...[within("roles"), within("rolebindings")],
  ]);
  const read = <T>(record: (object: ApiObject, namespace: string) => T, of: readonly ApiObject[] = [], at = ""): T[] =>
    of.map((object) => record(object, at));
  const allRoles: readonly RoleRecord[] = [...read(roleRecord, clusterRoles), ...read(roleRecord, roles, namespace)];
  return {
    objects: {
      roles: allRoles,
      bindings: [...read(bindingRecord, clusterBindings), ...read(bindingRecord, bindings, namespace)],
    },
    unread,
  };
}
