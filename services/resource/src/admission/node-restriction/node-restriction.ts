import type { Kind } from "@orch/api/catalog.js";
import { parseSigningRequest } from "@orch/api/kinds/certificates/signing-request.js";
import { type AnyObject, valueAt } from "@orch/api/object.js";
import { nodeOf, nodesGroup } from "@orch/auth/node/node-authorizer.js";
import type { Naming } from "@orch/naming/naming.js";
import { forbidden } from "@orch/status/api-error.js";
import { sameObject } from "../../write/same-object.js";
import { resourceOf, type Write } from "../../write/write.js";
import { type AdmissionPlugin, checkedEarly } from "../admission.js";
import { asSigningRequest } from "../certificates/certificate-signers.js";
import { nodeRules } from "./node-restriction-nodes.js";
import { podRules, tokenProblem } from "./node-restriction-pods.js";
import { type NodeRule, type NodeWrite, stateOf } from "./node-restriction-rule.js";

/**
 * What nodes write has to be about themselves and their pods: the node authorizer, which sees no objects, lets every
 * node write those of others (release 1.32 of the reference).
 */
export function nodeRestriction(naming: Naming): AdmissionPlugin {
  const nodes = nodeRules(naming);
  const rules: ReadonlyMap<string, NodeRule> = new Map([
    ["/pods", podRules(naming)],
    ["/nodes", nodes.check],
    ["/persistentvolumeclaims", claimProblem],
    ["/serviceaccounts", tokenProblem],
    [`${naming.group("coordination")}/leases`, leaseRule(naming.systemName("node-lease"))],
    [`${naming.group("storage")}/csinodes`, csiNodeProblem],
    [`${naming.group("resource")}/resourceslices`, sliceProblem],
    [`${naming.group("certificates")}/certificatesigningrequests`, signingRequestRule(naming)],
  ]);
  const ruleOf = ({ group, plural }: Kind): NodeRule | undefined => rules.get(`${group}/${plural}`);

  const check = async (asked: Omit<NodeWrite, "node">): Promise<void> => {
    const { write } = asked;
    const node = requireNode(write, stateOf(asked));
    if (node === undefined) return;
    const problem = await ruleOf(write.kind)?.({ ...asked, node });
    if (problem !== undefined) throw refused(write, stateOf(asked), problem);
  };

  return {
    name: "NodeRestriction",
    handles: (kind) => ruleOf(kind) !== undefined,
    ...checkedEarly(async ({ write, object, old }) => {
      // What is refused here is dropped by preparing.
      const node = old === undefined && ruleOf(write.kind) === nodes.check ? requireNode(write, object) : undefined;
      const problem = node === undefined ? undefined : nodes.checkGiven(node, object);
      if (problem !== undefined) throw refused(write, object, problem);
      await check({ write, change: old === undefined ? { type: "create", object } : { type: "update", object, old } });
    }),
    validateDelete: (write, old) => check({ write, change: { type: "delete", old } }),
  };
}

/** The node that writes; undefined for whoever is none. @throws ApiError Forbidden for a node that has no name */
function requireNode(write: Write, object: AnyObject): string | undefined {
  const { user } = write.request;
  const node = nodeOf(user);
  if (node === undefined && !user.groups.includes(nodesGroup)) return undefined;
  if (node !== undefined && node !== "") return node;
  throw refused(write, object, `could not determine node from user ${JSON.stringify(user.name)}`);
}

function refused({ kind, request }: Write, { metadata }: AnyObject, why: string) {
  return forbidden(resourceOf(kind), metadata.name ?? request.name, why);
}

/** Nodes tell how far the expansion of a volume is, and nothing else of a claim. */
function claimProblem({ write, node, change }: NodeWrite): string | undefined {
  if (write.request.subresource !== "status" || change.type !== "update") return "may only update PVC status";
  if (sameObject(write.kind, withoutExpansion(change.object), withoutExpansion(change.old))) return undefined;
  return `node ${JSON.stringify(node)} is not allowed to update fields other than status.quantity and status.conditions`;
}

function withoutExpansion(claim: AnyObject): AnyObject {
  const { status } = claim;
  const none = {
    ...{ capacity: undefined, conditions: undefined },
    ...{ allocatedResources: undefined, allocatedResourceStatuses: undefined },
  };
  return { ...claim, status: { ...Object(status), ...none } };
}

function leaseRule(namespace: string): NodeRule {
  return ({ write, node, change }) => {
    if (write.request.namespace !== namespace) {
      return `can only access leases in the ${JSON.stringify(namespace)} system namespace`;
    }
    if (stateOf({ change }).metadata.name === node) return undefined;
    return "can only access node lease with the same name as the requesting node";
  };
}

/** A node asks for certificates in its own name alone, where the signer makes certificates of nodes. */
function signingRequestRule(naming: Naming): NodeRule {
  const signers = [naming.key("kubelet-serving"), naming.key("kube-apiserver-client-kubelet")];
  return ({ node, change }) => {
    if (change.type !== "create") return undefined;
    const { request = "", signerName = "" } = asSigningRequest(change.object).spec ?? {};
    if (!signers.includes(signerName)) return undefined;
    const parsed = parseSigningRequest(Buffer.from(request, "base64").toString("latin1"));
    if (typeof parsed === "string") return `unable to parse csr: ${parsed}`;
    const name = `system:node:${node}`;
    return parsed.commonName === name ? undefined : `can only create a node CSR with CN=${name}`;
  };
}

function csiNodeProblem({ node, change }: NodeWrite): string | undefined {
  if (stateOf({ change }).metadata.name === node) return undefined;
  return "can only access CSINode with the same name as the requesting node";
}

/** The authorizer sees neither what is created nor each object of a collection; a slice cannot change its node. */
function sliceProblem({ node, change }: NodeWrite): string | undefined {
  if (change.type === "update" || valueAt(stateOf({ change }), "spec.nodeName") === node) return undefined;
  return `can only ${change.type} ResourceSlice with the same NodeName as the requesting node`;
}
