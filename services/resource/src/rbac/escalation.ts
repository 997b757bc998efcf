import type { Kind } from "@orch/api/catalog.js";
import type { Binding, ClusterRole, PolicyRule, RoleRef } from "@orch/api/kinds/rbac/types.js";
import type { AnyObject } from "@orch/api/object.js";
import { escalationText, uncovered } from "@orch/auth/rbac/covers.js";
import { everyRule } from "@orch/auth/rules.js";
import type { Naming } from "@orch/naming/naming.js";
import { forbidden, notFound } from "@orch/status/api-error.js";
import { type AdmissionPlugin, checkedEarly } from "../admission/admission.js";
import { sameObject } from "../write/same-object.js";
import { findStored } from "../write/storing/stored.js";
import { builtIn, type NewState, resourceOf, type Write } from "../write/write.js";

/**
 * Nobody gives away what he does not have (rules: Authentication, 2): who writes a role must hold its rules, or may
 * `escalate` it; who writes a binding must hold the rules of its role, or may `bind` it. Always on.
 */
export function rbacEscalation(naming: Naming): AdmissionPlugin {
  const group = naming.group("rbac.authorization");
  const isRole = ({ kind }: Kind): boolean => kind === "Role" || kind === "ClusterRole";
  const isBinding = ({ kind }: Kind): boolean => kind === "RoleBinding" || kind === "ClusterRoleBinding";
  return {
    name: "RBACEscalation",
    handles: (kind, subresource) => kind.group === group && subresource === "" && (isRole(kind) || isBinding(kind)),
    ...checkedEarly(async (state) => {
      const { write } = state;
      if (write.request.user.groups.includes(naming.mastersGroup) || changesNothingOfNote(state)) return;
      await (isRole(write.kind) ? checkRole(state) : checkBinding(write, state.object));
    }),
  };
}

/**
 * Owners, finalizers and who owns which field: what the garbage collector changes without any right on the rules.
 * Labels are of note, as aggregation goes by them.
 */
function changesNothingOfNote({ write: { kind }, object, old }: NewState): boolean {
  const ofNote = ({ metadata: { labels = {}, annotations = {} }, ...rest }: AnyObject): AnyObject => ({
    ...rest,
    metadata: { labels, annotations },
  });
  return old !== undefined && sameObject(kind, ofNote(object), ofNote(old));
}

async function checkRole({ write, object, old }: NewState): Promise<void> {
  const { kind, request } = write;
  if (await mayDo(write, "escalate", { resource: kind.plural, name: request.name })) return;
  const role: ClusterRole = object;
  const before: ClusterRole | undefined = old;
  await checkRules(write, object, role.rules ?? []);
  if (kind.namespaced || !(aggregates(role) || aggregates(before))) return;
  // To gather rules by labels is to hold whatever anybody will ever label.
  if (uncovered((await ownRules(write)).rules, everyRule) === undefined) return;
  throw refusal(write, object, "must have cluster-admin privileges to use the aggregationRule");
}

function aggregates(role: ClusterRole | undefined): boolean {
  return (role?.aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

async function checkBinding(write: Write, object: AnyObject): Promise<void> {
  const { roleRef = {} }: Binding = object;
  const { name = "" } = roleRef;
  const kind = builtIn(write, write.kind.apiVersion, roleRef.kind === "Role" ? "Role" : "ClusterRole");
  if (await mayDo(write, "bind", { resource: kind.plural, name })) return;
  await checkRules(write, object, await rulesOf(write, kind, roleRef));
}

/**
 * Of the role that stands in the store now, not in a memory of it. @throws ApiError NotFound: of a binding, as the reference
 * tells it
 */
async function rulesOf(write: Write, kind: Kind, { name = "" }: RoleRef): Promise<readonly PolicyRule[]> {
  const role: ClusterRole | undefined = await findStored(write, kind, name);
  if (role === undefined) throw notFound(resourceOf(write.kind), name);
  return role.rules ?? [];
}

interface RoleName {
  readonly resource: string;
  /** Empty for one that is created: a right on some names is none to make one of that name. */
  readonly name: string;
}

/** Where the write is: in its namespace, or in the cluster. */
async function mayDo(write: Write, verb: "escalate" | "bind", { resource, name }: RoleName): Promise<boolean> {
  const { deps, kind, request } = write;
  const { user, namespace } = request;
  const { outcome } = await deps.permissions.authorizer.authorize(
    { kind: "resource", user, verb, group: kind.group, version: "*", resource, subresource: "", namespace, name },
    write.span,
  );
  return outcome === "allow";
}

const ownRules = ({ deps, request }: Write) => deps.permissions.rules.rulesFor(request.user, request.namespace);

async function checkRules(write: Write, object: AnyObject, rules: readonly PolicyRule[]): Promise<void> {
  const own = await ownRules(write);
  const missing = uncovered(own.rules, rules);
  if (missing === undefined) return;
  throw refusal(write, object, escalationText(write.request.user, missing, own.evaluationError));
}

function refusal({ kind }: Write, object: AnyObject, why: string) {
  return forbidden(resourceOf(kind), object.metadata.name ?? "", why);
}
