import { listAt, textAt, textsAt } from "../json.js";

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
export function whoCan(deed: Deed, objects: RbacObjects): readonly Grant[] {
  const roles = new Map<string, unknown>();
  for (const role of objects.clusterRoles) roles.set(`ClusterRole/${textAt(role, "metadata", "name")}`, role);
  for (const role of objects.roles)
    roles.set(`Role/${textAt(role, "metadata", "namespace")}/${textAt(role, "metadata", "name")}`, role);
  const grantsOf = (binding: unknown, isCluster: boolean): readonly Grant[] => {
    const namespace = textAt(binding, "metadata", "namespace");
    if (!isCluster && namespace !== deed.namespace) return [];
    const [kind, name] = [textAt(binding, "roleRef", "kind"), textAt(binding, "roleRef", "name")];
    const role = roles.get(kind === "Role" ? `Role/${namespace}/${name}` : `ClusterRole/${name}`);
    if (!listAt(role, "rules").some((rule) => allows(rule, deed))) return [];
    const bound = `${isCluster ? "ClusterRoleBinding" : "RoleBinding"} ${textAt(binding, "metadata", "name")}`;
    return listAt(binding, "subjects").map((subject) => ({
      kind: textAt(subject, "kind"),
      subject: subjectName(subject),
      binding: bound,
      role: `${kind} ${name}`,
    }));
  };
  return [
    ...objects.clusterRoleBindings.flatMap((binding) => grantsOf(binding, true)),
    ...objects.roleBindings.flatMap((binding) => grantsOf(binding, false)),
  ];
}

function subjectName(subject: unknown): string {
  const [namespace, name] = [textAt(subject, "namespace"), textAt(subject, "name")];
  return textAt(subject, "kind") === "ServiceAccount" ? `${namespace}/${name}` : name;
}

function allows(rule: unknown, { verb, group, resource, name }: Deed): boolean {
  const has = (field: string, value: string): boolean => {
    const texts = textsAt(rule, field);
    return texts.includes("*") || texts.includes(value);
  };
  if (!has("verbs", verb) || !has("apiGroups", group)) return false;
  const slash = resource.indexOf("/");
  // `*/status` is that subresource of everything.
  const ofAll = slash < 0 ? resource : `*${resource.slice(slash)}`;
  if (!has("resources", resource) && !has("resources", ofAll)) return false;
  const names = textsAt(rule, "resourceNames");
  return names.length === 0 || (name !== "" && names.includes(name));
}
