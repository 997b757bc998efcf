import type { PolicyRule } from "@orch/api/kinds/rbac/types.js";
import type { Naming } from "@orch/naming/naming.js";
import { allowed, type Decision, noOpinion, type ResourceAttributes } from "../authorizer.js";
import { askedOf, compileRole, roleAllows } from "../rbac/compiled-role.js";
import { fieldTerms } from "../selector-terms.js";
import { type RefKind, refOf } from "./edges.js";

/** A decision, or the object that the node must have to do with for one. */
export type Answer = Decision | { readonly kind: RefKind; readonly ref: string };

/** What a node may do with a resource, as far as its attributes tell. */
export type NodeRules = (attributes: ResourceAttributes, node: string) => Answer;

const because = (reason: string): Decision => ({ outcome: "noOpinion", reason });

export const unrelated = (node: string): Decision =>
  because(`no relationship found between node '${node}' and this object`);

/**
 * The rules of the node authorizer at release 1.32. Some resources have their own; others follow `rules`, those of the
 * role `system:node`. Where a node may write an object without more, admission looks at which one it is and at what is
 * in it: the plugin NodeRestriction of the resource service.
 */
export function nodeRules(naming: Naming, rules: readonly PolicyRule[]): NodeRules {
  const leases = naming.systemName("node-lease");
  const own: Readonly<Record<string, NodeRules>> = {
    "/secrets": (a) => readNamespaced(a, "secret"),
    "/configmaps": (a) => readNamespaced(a, "configMap"),
    "/persistentvolumeclaims": (a) => (a.subresource === "status" ? updateStatus(a, "claim") : getOne(a, "claim")),
    "/persistentvolumes": (a) => getOne(a, "volume"),
    "/serviceaccounts": createToken,
    "/nodes": decideNode,
    "/pods": decidePod,
    [`${naming.group("resource")}/resourceclaims`]: (a) => getOne(a, "resourceClaim"),
    [`${naming.group("resource")}/resourceslices`]: decideSlice,
    [`${naming.group("storage")}/volumeattachments`]: (a) => getOne(a, "attachment"),
    [`${naming.group("storage")}/csinodes`]: decideCsiNode,
    [`${naming.group("coordination")}/leases`]: (a, node) => decideLease(a, node, leases),
  };
  const byResource = new Map(Object.entries(own));
  // Rules of nodes name no objects: those that do are for others.
  const others = compileRole(rules.filter(({ resourceNames = [] }) => resourceNames.length === 0));
  return (attributes, node) => {
    const decide = byResource.get(`${attributes.group}/${attributes.resource}`);
    if (decide !== undefined) return decide(attributes, node);
    return roleAllows(others, askedOf(attributes)) ? allowed : noOpinion;
  };
}

function related(kind: RefKind, { namespace, name }: ResourceAttributes): Answer {
  if (name === "") return because("No Object name found");
  return { kind, ref: refOf(kind, namespace, name) };
}

function readNamespaced(attributes: ResourceAttributes, kind: RefKind): Answer {
  const { verb, subresource, namespace } = attributes;
  if (!["get", "list", "watch"].includes(verb)) return because("can only read resources of this type");
  if (subresource !== "") return because("cannot read subresource");
  if (namespace === "") return because("can only read namespaced object of this type");
  return related(kind, attributes);
}

function getOne(attributes: ResourceAttributes, kind: RefKind): Answer {
  if (attributes.verb !== "get") return because("can only get individual resources of this type");
  if (attributes.subresource !== "") return because("cannot get subresource");
  return related(kind, attributes);
}

function updateStatus(attributes: ResourceAttributes, kind: RefKind): Answer {
  const { verb } = attributes;
  if (verb !== "update" && verb !== "patch") return because("can only get/update/patch this type");
  return related(kind, attributes);
}

function createToken(attributes: ResourceAttributes): Answer {
  const { verb, name, subresource } = attributes;
  if (verb !== "create" || name === "") return because("can only create tokens for individual service accounts");
  if (subresource !== "token") return because("can only create token subresource of serviceaccount");
  return related("serviceAccount", attributes);
}

const ownVerbs = ["get", "create", "update", "patch", "delete"];

/** A create does not tell the name here. */
function decideLease({ verb, namespace, name }: ResourceAttributes, node: string, leases: string): Answer {
  if (!ownVerbs.includes(verb)) return because("can only get, create, update, patch, or delete a node lease");
  if (namespace !== leases) return because(`can only access leases in the ${JSON.stringify(leases)} system namespace`);
  if (verb === "create" || name === node) return allowed;
  return because("can only access node lease with the same name as the requesting node");
}

function decideCsiNode({ verb, subresource, name }: ResourceAttributes, node: string): Answer {
  if (!ownVerbs.includes(verb)) return because("can only get, create, update, patch, or delete a CSINode");
  if (subresource !== "") return because("cannot authorize CSINode subresources");
  if (verb === "create" || name === node) return allowed;
  return because("can only access CSINode with the same name as the requesting node");
}

/** Whether a list or watch asks for nothing but what is on the node. */
const selectsNode = ({ fieldSelector }: ResourceAttributes, node: string): boolean =>
  fieldTerms(fieldSelector).some(
    ({ field, operator, value }) => field === "spec.nodeName" && operator === "=" && value === node,
  );

function decideSlice(attributes: ResourceAttributes, node: string): Answer {
  if (attributes.subresource !== "") return because("cannot authorize ResourceSlice subresources");
  switch (attributes.verb) {
    case "create":
      return allowed;
    case "get":
    case "update":
    case "patch":
    case "delete":
      return related("slice", attributes);
    case "watch":
    case "list":
    case "deletecollection":
      if (selectsNode(attributes, node)) return allowed;
      return because("can only list/watch/deletecollection resourceslices with nodeName field selector");
    default:
      return because(
        "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection",
      );
  }
}

/** By name, not by what is known: a node asks for itself before it has made itself. */
function decideNode({ verb, subresource, name }: ResourceAttributes, node: string): Answer {
  if (subresource === "status") return verb === "update" || verb === "patch" ? allowed : noOpinion;
  if (subresource !== "") return noOpinion;
  switch (verb) {
    case "create":
    case "update":
    case "patch":
      return allowed;
    case "get":
    case "list":
    case "watch":
      if (name === node) return allowed;
      if (name === "") return because(`node '${node}' cannot read all nodes, only its own Node object`);
      return because(`node '${node}' cannot read '${name}', only its own Node object`);
    default:
      return noOpinion;
  }
}

function decidePod(attributes: ResourceAttributes, node: string): Answer {
  const { verb, subresource, name } = attributes;
  if (subresource === "status") return verb === "update" || verb === "patch" ? allowed : noOpinion;
  if (subresource === "eviction") return verb === "create" ? allowed : noOpinion;
  if (subresource !== "") return noOpinion;
  switch (verb) {
    case "get":
      return related("pod", attributes);
    case "list":
    case "watch":
      if (selectsNode(attributes, node)) return allowed;
      if (name !== "") return related("pod", attributes);
      return because("can only list/watch pods with spec.nodeName field selector");
    case "create":
    case "delete":
      return allowed;
    default:
      return noOpinion;
  }
}
