import type { Naming } from "@orch/naming/naming.js";
import type { ObjectMeta } from "@orch/schema/object-meta.js";
import type { Binding, ClusterRole, Role, Subject } from "../types.js";
import { clusterSubjects, subjectsOf } from "./bindings.js";
import { componentRules } from "./component-roles.js";
import { controllerRules } from "./controller-roles.js";
import { namespacePolicies } from "./namespace-policy.js";
import { namespaceUserRules, namespaceUsers, userRules } from "./user-roles.js";

/**
 * Who may do what where nobody has said anything yet (release 1.32, default gates): roles and bindings that the server
 * makes at its start. The rules of `admin`, `edit` and `view` are aggregated, and stand in no policy.
 */
export interface BootstrapPolicy {
  /** One that is made of others comes after them. */
  readonly clusterRoles: readonly ClusterRole[];
  readonly clusterRoleBindings: readonly Binding[];
  readonly roles: readonly Role[];
  readonly roleBindings: readonly Binding[];
}

/** Says of an object that the server puts it right at its start (`true`), or that its users keep it (`false`). */
export function autoUpdateKey(naming: Naming): string {
  return `rbac.authorization.${naming.key("autoupdate")}`;
}

export interface PolicyOptions {
  /** There is a controller of StorageVersionMigrations (gate StorageVersionMigrator). */
  readonly migratesStorage?: boolean;
  /** Pods claim devices (gate DynamicResourceAllocation). */
  readonly claimsDevices?: boolean;
  /** Volumes have classes of attributes (gate VolumeAttributesClass). */
  readonly hasVolumeAttributes?: boolean;
  /** Servers say in which versions they store (gates StorageVersionAPI and APIServerIdentity). */
  readonly tracksVersions?: boolean;
  /** Ranges of services' addresses are objects (gate MultiCIDRServiceAllocator). */
  readonly rangesAreObjects?: boolean;
}

export function bootstrapPolicy(naming: Naming, options: PolicyOptions = {}): BootstrapPolicy {
  const metadata = metadataOf(naming);
  const namespaces = namespacePolicies(naming);
  return {
    clusterRoles: clusterRoles(naming, options),
    clusterRoleBindings: clusterBindings(naming, options),
    roles: namespaces.flatMap(({ namespace, roles }) =>
      Object.entries(roles).map(([name, rules]) => ({ metadata: metadata({ name, namespace }), rules })),
    ),
    roleBindings: namespaces.flatMap(({ namespace, bindings }) =>
      bindings.map(({ role, name = role, subjects }) => ({
        metadata: metadata({ name, namespace }),
        roleRef: roleRef(naming, "Role", role),
        subjects,
      })),
    ),
  };
}

const ofController = (account: string): string => `system:controller:${account}`;

function clusterRoles(naming: Naming, options: PolicyOptions): readonly ClusterRole[] {
  const metadata = metadataOf(naming);
  const controllers = Object.entries(controllerRules(naming, options)).map(
    ([name, rules]) => [ofController(name), rules] as const,
  );
  const plain = [
    ...Object.entries(userRules(naming)),
    ...Object.entries(componentRules(naming, options)),
    ...controllers,
  ];
  return [...plain.map(([name, rules]) => ({ metadata: metadata({ name }), rules })), ...namespaceUserRoles(naming)];
}

/** `view` is part of `edit`, and `edit` of `admin`, by labels: whoever adds a kind adds roles for it to each of them. */
function namespaceUserRoles(naming: Naming): readonly ClusterRole[] {
  const metadata = metadataOf(naming);
  const rules = namespaceUserRules(naming);
  const partOf = (user: string) => ({ [`${naming.group("rbac.authorization")}/aggregate-to-${user}`]: "true" });
  return namespaceUsers.flatMap((user, i): readonly ClusterRole[] => {
    const above = namespaceUsers[i + 1];
    return [
      { metadata: metadata({ name: `system:aggregate-to-${user}`, labels: partOf(user) }), rules: rules[user] },
      {
        metadata: metadata({ name: user, ...(above === undefined ? {} : { labels: partOf(above) }) }),
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: partOf(user) }] },
      },
    ];
  });
}

function clusterBindings(naming: Naming, options: PolicyOptions): readonly Binding[] {
  const metadata = metadataOf(naming);
  const { accounts } = subjectsOf(naming);
  const controllers = Object.keys(controllerRules(naming, options)).map(
    (name) => [ofController(name), accounts(name)] as const,
  );
  const all: readonly (readonly [string, readonly Subject[]])[] = [
    ...Object.entries(clusterSubjects(naming)),
    ...controllers,
  ];
  return all.map(([name, subjects]) => ({
    metadata: metadata({ name }),
    roleRef: roleRef(naming, "ClusterRole", name),
    subjects,
  }));
}

function roleRef(naming: Naming, kind: "Role" | "ClusterRole", name: string) {
  return { apiGroup: naming.group("rbac.authorization"), kind, name };
}

/** With the label by which users tell these objects from their own. */
function metadataOf(naming: Naming): (own: Pick<ObjectMeta, "name" | "namespace" | "labels">) => ObjectMeta {
  const annotations = { [autoUpdateKey(naming)]: "true" };
  const label = { [naming.key("bootstrapping")]: "rbac-defaults" };
  return (own) => ({ ...own, labels: { ...label, ...own.labels }, annotations });
}
