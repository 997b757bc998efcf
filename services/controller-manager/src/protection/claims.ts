import { protectionOf } from "@orch/api/kinds/core/volume-protection.js";
import { listAll } from "@orch/client/list-all.js";
import { identityOnly } from "@orch/client/metadata-only.js";
import type { ApiObject } from "@orch/client/objects.js";
import { createReflector, keyOf } from "@orch/client/reflector.js";
import type { Controller } from "../controller.js";
import { failureTeller } from "../tools.js";
import { createProtectionController, type ProtectionTools } from "./protection-controller.js";
import { type ClaimUser, claimsOf } from "./uses.js";

const name = "persistentvolumeclaim-protection-controller";
const resource = "persistentvolumeclaims";
const pods = { group: "", version: "v1", resource: "pods" };

/** Claims stay while a pod on a node uses them. */
export function createClaimProtectionController(tools: ProtectionTools): Controller {
  const { client, clock, random } = tools;
  const users = new Map<string, Set<string>>();
  const claimKeys = (pod: ApiObject): readonly string[] => {
    const { claims }: Partial<ClaimUser> = pod;
    return (claims ?? claimsOf(pod)).map((claim) => `${pod.metadata.namespace}/${claim}`);
  };
  const note = (pod: ApiObject): void => {
    for (const claim of claimKeys(pod)) users.set(claim, (users.get(claim) ?? new Set()).add(keyOf(pod)));
  };
  const forget = (pod: ApiObject): void => {
    for (const claim of claimKeys(pod)) {
      const known = users.get(claim);
      known?.delete(keyOf(pod));
      if (known?.size === 0) users.delete(claim);
    }
  };

  return createProtectionController(
    {
      name,
      queue: "pvcprotection",
      collection: { group: "", version: "v1", resource },
      finalizer: protectionOf(resource, tools.naming) ?? "",
      keep: () => ({}),
      async isUsed(claim, signal) {
        if (users.has(keyOf(claim))) return true;
        // What was told may be a moment old: the server is asked before a claim is let go.
        const { namespace = "" } = claim.metadata;
        const { items } = await listAll(client, { ...pods, namespace }, { signal });
        return items.some((pod) => claimsOf(pod).includes(claim.metadata.name ?? ""));
      },
      users: (look) =>
        createReflector({
          client,
          collection: pods,
          keep: (pod): ClaimUser => ({ ...identityOnly(pod), claims: claimsOf(pod) }),
          clock,
          random,
          handlers: {
            added: note,
            modified(pod, before) {
              forget(before);
              note(pod);
              for (const claim of claimKeys(before)) look(claim);
            },
            deleted(pod) {
              forget(pod);
              for (const claim of claimKeys(pod)) look(claim);
            },
          },
          onError: failureTeller(tools, name),
        }),
    },
    tools,
  );
}
