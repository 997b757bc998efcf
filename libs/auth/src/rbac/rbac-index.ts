import { isDeepStrictEqual } from "node:util";
import type { PolicyRule } from "@orch/api/kinds/rbac/types.js";
import type { Naming } from "@orch/naming/naming.js";
import { type Attributes, type Decision, noOpinion } from "../authorizer.js";
import type { UserRules } from "../rules.js";
import type { UserInfo } from "../user.js";
import { askedOf } from "./compiled-role.js";
import { createGrantFinder, type Grant, type Grants } from "./grants.js";
import type { BindingRecord, RoleRecord } from "./rbac-objects.js";
import { allowed, maxProblems, missing, told } from "./reasons.js";
import { createSharedRoles, type SharedRole } from "./shared-roles.js";
import { createSubjectNamespaces } from "./subject-namespaces.js";
import { type SubjectId, subjectId } from "./subjects.js";

/**
 * Who has which role, by subject and namespace, always as the last change left it:
 *
 *     scope "" (the cluster)   users   bob                                → cluster role view
 *                              groups  system:authenticated               → cluster role discovery, basic-user
 *     scope "shop"             users   system:serviceaccount:shop:till    → role shop/sell
 *
 * A decision looks up the user and each group in two scopes. Bindings lead to places of roles, not to roles: a role
 * that changes is one assignment, and one that is not there yet is an empty place.
 */
export interface RbacIndex {
  putRole(role: RoleRecord): void;
  removeRole(role: Pick<RoleRecord, "namespace" | "name">): void;
  putBinding(binding: BindingRecord): void;
  removeBinding(binding: Pick<BindingRecord, "namespace" | "name">): void;
  decide(attributes: Attributes): Decision;
  rulesFor(user: UserInfo, namespace: string): UserRules;
  /** Namespaces that have bindings of the user or of its groups. */
  namespacesOf(user: UserInfo): ReadonlySet<string>;
  /** Everything that is kept, counted together: none of it where nothing was put that is not removed. */
  readonly size: number;
}

/** Where a role is, or will be. */
interface Place {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  role: SharedRole | undefined;
  /** Whose bindings name it. */
  readonly holders: Set<Holder>;
}

/** A subject of bindings in one scope. */
interface Holder {
  readonly id: SubjectId;
  readonly bindings: Map<Place, Set<BindingRecord>>;
  /** Undefined until somebody asks after a change. */
  grants: Grants | undefined;
}

interface Scope {
  readonly users: Map<string, Holder>;
  readonly groups: Map<string, Holder>;
}

/** `changed` is told whose rights are others now, once or more often. */
export function createRbacIndex(naming: Naming, changed: (who: SubjectId) => void = () => {}): RbacIndex {
  const group = naming.group("rbac.authorization");
  const places = new Map<string, Place>();
  const scopes = new Map<string, Scope>();
  const inNamespaces = createSubjectNamespaces();
  const bindings = new Map<string, BindingRecord>();
  const shared = createSharedRoles();
  const finder = createGrantFinder();

  const placeOf = (key: string, kind: string, name: string): Place => {
    const place = places.get(key) ?? { key, kind, name, role: undefined, holders: new Set() };
    places.set(key, place);
    return place;
  };

  const releaseIfUnused = (place: Place): void => {
    if (place.role === undefined && place.holders.size === 0) places.delete(place.key);
  };

  const outdate = (holder: Holder): void => {
    if (holder.grants !== undefined) finder.forget(holder.grants);
    holder.grants = undefined;
    changed(holder.id);
  };

  const setRole = (place: Place, role: SharedRole | undefined): void => {
    const before = place.role;
    if (before !== undefined) shared.release(before);
    // Most changes of a role leave its rules as they were.
    if (before === role) return;
    place.role = role;
    for (const holder of place.holders) outdate(holder);
    releaseIfUnused(place);
  };

  const bind = (binding: BindingRecord): void => {
    const { kind, name } = binding.role;
    const place = placeOf(placeKey(kind, binding.namespace, name), kind, name);
    const scope = scopes.get(binding.namespace) ?? { users: new Map(), groups: new Map() };
    scopes.set(binding.namespace, scope);
    for (const subject of binding.subjects) {
      const id = subjectId(subject, binding.namespace);
      if (id === undefined) continue;
      const holder = scope[id.of].get(id.name) ?? { id, bindings: new Map(), grants: undefined };
      scope[id.of].set(id.name, holder);
      inNamespaces.add(id, binding.namespace);
      const through = holder.bindings.get(place) ?? new Set();
      holder.bindings.set(place, through.add(binding));
      place.holders.add(holder);
      outdate(holder);
    }
    if (scope.users.size + scope.groups.size === 0) scopes.delete(binding.namespace);
    releaseIfUnused(place);
  };

  const unbind = (binding: BindingRecord): void => {
    const place = places.get(placeKey(binding.role.kind, binding.namespace, binding.role.name));
    const scope = scopes.get(binding.namespace);
    if (place === undefined || scope === undefined) return;
    for (const subject of binding.subjects) {
      const id = subjectId(subject, binding.namespace);
      const holder = id === undefined ? undefined : scope[id.of].get(id.name);
      if (id === undefined || holder === undefined) continue;
      outdate(holder);
      const through = holder.bindings.get(place);
      through?.delete(binding);
      if (through?.size !== 0) continue;
      holder.bindings.delete(place);
      place.holders.delete(holder);
      if (holder.bindings.size > 0) continue;
      scope[id.of].delete(id.name);
      inNamespaces.remove(id, binding.namespace);
    }
    if (scope.users.size + scope.groups.size === 0) scopes.delete(binding.namespace);
    releaseIfUnused(place);
  };

  const currentGrants = (holder: Holder): Grants => {
    holder.grants ??= grantsOf(holder, group);
    return holder.grants;
  };

  /** Those of the cluster, and those of a namespace. */
  function* holdersOf(user: UserInfo, namespace: string): Generator<Holder> {
    for (const scope of namespace === "" ? [scopes.get("")] : [scopes.get(""), scopes.get(namespace)]) {
      if (scope === undefined) continue;
      const own = scope.users.get(user.name);
      if (own !== undefined) yield own;
      for (const name of user.groups) {
        const ofGroup = scope.groups.get(name);
        if (ofGroup !== undefined) yield ofGroup;
      }
    }
  }

  return {
    putRole(role) {
      const kind = role.namespace === "" ? "ClusterRole" : "Role";
      setRole(placeOf(placeKey(kind, role.namespace, role.name), kind, role.name), shared.take(role.rules));
    },
    removeRole({ namespace, name }) {
      const place = places.get(placeKey(namespace === "" ? "ClusterRole" : "Role", namespace, name));
      if (place !== undefined) setRole(place, undefined);
    },
    putBinding(binding) {
      const key = `${binding.namespace}/${binding.name}`;
      const before = bindings.get(key);
      if (isDeepStrictEqual(before, binding)) return;
      bindings.set(key, binding);
      if (before !== undefined) unbind(before);
      bind(binding);
    },
    removeBinding({ namespace, name }) {
      const key = `${namespace}/${name}`;
      const before = bindings.get(key);
      bindings.delete(key);
      if (before !== undefined) unbind(before);
    },
    decide(attributes) {
      const { user } = attributes;
      const asked = askedOf(attributes);
      let problems: Set<string> | undefined;
      for (const holder of holdersOf(user, attributes.kind === "path" ? "" : attributes.namespace)) {
        const grants = currentGrants(holder);
        const grant = finder.find(grants, asked);
        if (grant !== undefined) return grant.decision;
        if (grants.problems.length > 0) problems = new Set([...(problems ?? []), ...grants.problems]);
      }
      return problems === undefined ? noOpinion : { outcome: "noOpinion", reason: `RBAC: ${told(problems)}` };
    },
    rulesFor(user, namespace) {
      const roles = new Set<readonly PolicyRule[]>();
      const problems = new Set<string>();
      for (const holder of holdersOf(user, namespace)) {
        const grants = currentGrants(holder);
        for (const { role } of grants.all) roles.add(role.rules);
        for (const problem of grants.problems) problems.add(problem);
      }
      return { rules: [...roles].flat(), incomplete: false, evaluationError: told(problems) };
    },
    namespacesOf: inNamespaces.of,
    get size() {
      return inNamespaces.size + places.size + scopes.size + bindings.size + shared.size + finder.size;
    },
  };
}

/** A place for each role that there can be, and one for each kind that is none. */
function placeKey(kind: string, namespace: string, name: string): string {
  if (kind === "ClusterRole") return `ClusterRole/${name}`;
  return kind === "Role" ? `Role/${namespace}/${name}` : `?${kind}`;
}

function grantsOf({ id, bindings }: Holder, group: string): Grants {
  const all = new Map<SharedRole, Grant>();
  const problems: string[] = [];
  let rules = 0;
  for (const [{ kind, name, role }, through] of bindings) {
    if (role === undefined) {
      if (problems.length < maxProblems) problems.push(missing(kind, name, group));
      continue;
    }
    const [binding] = through;
    if (all.has(role) || binding === undefined) continue;
    all.set(role, { role, decision: allowed(binding, id) });
    rules += role.resources.length + role.paths.length;
  }
  return { all: [...all.values()], rules, problems };
}
