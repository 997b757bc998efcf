import { type BindingRecord, bindingRecord, type RoleRecord, roleRecord } from "@orch/auth/rbac/rbac-objects.js";
import { type Reference, whoMay } from "@orch/auth/rbac/who-may.js";
import { textAt, treeAt } from "../json.js";

/** What somebody wants to do: a verb on a resource, in a namespace or anywhere. */
export interface Deed {
  readonly verb: string;
  readonly group: string;
  /** With a subresource behind a slash. */
  readonly resource: string;
  readonly name: string;
  /** `""`: in no namespace, or in all of them. */
  readonly namespace: string;
}

export interface RbacObjects {
  readonly roles: readonly unknown[];
  readonly roleBindings: readonly unknown[];
  readonly clusterRoles: readonly unknown[];
  readonly clusterRoleBindings: readonly unknown[];
}

/** Somebody who may, and which binding to which role says so. */
export interface Grant {
  /** `User`, `Group`, `ServiceAccount`. */
  readonly kind: string;
  readonly subject: string;
  readonly binding: string;
  readonly role: string;
}

/** Everybody whom roles and bindings allow it. Other authorizers may allow more. */
export function whoCan({ resource, ...deed }: Deed, objects: RbacObjects): readonly Grant[] {
  const [plural = "", subresource = ""] = resource.split("/");
  const records = {
    roles: [...objects.clusterRoles, ...objects.roles].map(readRole),
    bindings: [...objects.clusterRoleBindings, ...objects.roleBindings].map(readBinding),
  };
  return whoMay(records, { ...deed, resource: plural, subresource }).map(({ subject, binding, role }) => ({
    kind: subject.kind,
    subject: subjectName(subject),
    binding: `${binding.kind} ${binding.name}`,
    role: `${role.kind} ${role.name}`,
  }));
}

const readRole = (object: unknown): RoleRecord => roleRecord(...objectOf(object));
const readBinding = (object: unknown): BindingRecord => bindingRecord(...objectOf(object));

function objectOf(object: unknown): Parameters<typeof roleRecord> {
  const metadata = { name: textAt(object, "metadata", "name") };
  return [{ ...treeAt(object), metadata }, textAt(object, "metadata", "namespace")];
}

const subjectName = ({ kind, namespace, name }: Reference): string =>
  kind === "ServiceAccount" ? `${namespace}/${name}` : name;
