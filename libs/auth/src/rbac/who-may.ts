import type { PolicyRule } from "@orch/api/kinds/rbac/types.js";
import { type Asked, compileRole, roleAllows } from "./compiled-role.js";
import type { BindingRecord, RoleRecord } from "./rbac-objects.js";
import { subjectId } from "./subjects.js";

// Plain functions over objects that were read from anywhere: a console asks them in a browser, too. No node modules below here.

/** Roles and bindings of both scopes, as far as they are known; `roleRecord` and `bindingRecord` make them of objects. */
export interface RbacObjects {
  readonly roles: readonly RoleRecord[];
  readonly bindings: readonly BindingRecord[];
}

/** What is to be done; a path where it begins with a slash. */
export type AccessQuestion =
  | {
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      /** Empty for the object itself. */
      readonly subresource: string;
      /** Empty for all names. */
      readonly name: string;
      /** Empty for what has none, or for all namespaces. */
      readonly namespace: string;
    }
  | { readonly verb: string; readonly path: string };

export interface Reference {
  readonly kind: string;
  readonly name: string;
  /** Empty for what has none. */
  readonly namespace: string;
}

/** One way in which somebody may do it. */
export interface Allowance {
  readonly subject: Reference;
  readonly binding: Reference;
  readonly role: Reference;
  /** Those of the role that allow it. */
  readonly rules: readonly PolicyRule[];
}

/** Every subject that RBAC lets do it, once for each binding; in the order of bindings. Linear in what there is. */
export function whoMay(objects: RbacObjects, question: AccessQuestion): readonly Allowance[] {
  const asked = askedBy(question);
  const namespace = "path" in question ? "" : question.namespace;
  const roles = new Map(objects.roles.map((role) => [placeOf(role.namespace, role.name), role]));
  const allowing = new Map<RoleRecord, readonly PolicyRule[]>();
  const rulesOf = (role: RoleRecord): readonly PolicyRule[] => {
    const known = allowing.get(role) ?? role.rules.filter((rule) => roleAllows(compileRole([rule]), asked));
    allowing.set(role, known);
    return known;
  };
  return objects.bindings.flatMap((binding): readonly Allowance[] => {
    if (binding.namespace !== "" && binding.namespace !== namespace) return [];
    const place = rolePlace(binding);
    const role = place === undefined ? undefined : roles.get(place);
    const rules = role === undefined ? [] : rulesOf(role);
    if (role === undefined || rules.length === 0) return [];
    return binding.subjects.flatMap((subject): readonly Allowance[] => {
      if (subjectId(subject, binding.namespace) === undefined) return [];
      const isAccount = subject.kind === "ServiceAccount";
      const of = isAccount && subject.namespace === "" ? binding.namespace : subject.namespace;
      return [
        {
          subject: { kind: subject.kind, name: subject.name, namespace: isAccount ? of : "" },
          binding: {
            kind: binding.namespace === "" ? "ClusterRoleBinding" : "RoleBinding",
            name: binding.name,
            namespace: binding.namespace,
          },
          role: { kind: binding.role.kind, name: role.name, namespace: role.namespace },
          rules,
        },
      ];
    });
  });
}

/** The ways in which a user may do it, as one of its own or by a group. */
export function whyMay(
  objects: RbacObjects,
  user: { readonly name: string; readonly groups: readonly string[] },
  question: AccessQuestion,
): readonly Allowance[] {
  const groups = new Set(user.groups);
  return whoMay(objects, question).filter(({ subject, binding }) => {
    const id = subjectId(subject, binding.namespace);
    return id !== undefined && (id.of === "users" ? id.name === user.name : groups.has(id.name));
  });
}

/** Bindings that would count for a namespace and name a role that is not there. */
export function danglingBindings({ roles, bindings }: RbacObjects, namespace: string): readonly BindingRecord[] {
  const known = new Set(roles.map((role) => placeOf(role.namespace, role.name)));
  return bindings.filter(
    (binding) =>
      (binding.namespace === "" || binding.namespace === namespace) && !known.has(rolePlace(binding) ?? "nowhere"),
  );
}

/** No name has a slash in it. */
const placeOf = (namespace: string, name: string): string => `${namespace}/${name}`;

function rolePlace({ namespace, role }: BindingRecord): string | undefined {
  if (role.kind === "ClusterRole") return placeOf("", role.name);
  // A binding of the cluster that names a Role leads nowhere.
  return role.kind === "Role" && namespace !== "" ? placeOf(namespace, role.name) : undefined;
}

function askedBy(question: AccessQuestion): Asked {
  const { verb } = question;
  if ("path" in question) return { kind: "path", verb, path: question.path };
  const { group, resource, subresource, name } = question;
  if (subresource === "") return { kind: "resource", verb, group, resource, ofEverything: resource, name };
  return {
    ...{ kind: "resource", verb, group, name },
    resource: `${resource}/${subresource}`,
    ofEverything: `*/${subresource}`,
  };
}
