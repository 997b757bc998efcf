import { protectionOf } from "@orch/api/kinds/core/volume-protection.js";
import { listAll } from "@orch/client/list-all.js";
import { identityOnly } from "@orch/client/metadata-only.js";
import type { View } from "@orch/client/mirror.js";
import { type Index, keyOf } from "@orch/client/object-store.js";
import type { Controller } from "../controller.js";
import { failureTeller } from "../tools.js";
import { createProtectionController, type ProtectionTools } from "./protection-controller.js";
import { type ClaimUser, claimsOf } from "./uses.js";

const name = "persistentvolumeclaim-protection-controller";
const resource = "persistentvolumeclaims";
const pods = { group: "", version: "v1", resource: "pods" };

const byClaim: Index<ClaimUser> = ({ metadata, claims }) => claims.map((claim) => `${metadata.namespace}/${claim}`);

/** Claims stay while a pod on a node uses them. */
export function createClaimProtectionController(tools: ProtectionTools): Controller {
  let users: View<ClaimUser> | undefined;
  return createProtectionController(
    {
      name,
      queue: "pvcprotection",
      collection: { group: "", version: "v1", resource },
      finalizer: protectionOf(resource, tools.naming) ?? "",
      keep: () => ({}),
      async isUsed(claim, signal) {
        for (const _ of users?.byIndex(byClaim, keyOf(claim)) ?? []) return true;
        // What was told may be a moment old: the server is asked before a claim is let go.
        const { namespace = "" } = claim.metadata;
        const { items } = await listAll(tools.client, { ...pods, namespace }, { signal });
        return items.some((pod) => claimsOf(pod).includes(claim.metadata.name ?? ""));
      },
      users(look) {
        const lookAtThoseOf = (pod: ClaimUser): void => {
          for (const claim of byClaim(pod)) look(claim);
        };
        users = tools.mirror.view({
          collection: pods,
          sees: "objects",
          keep: (pod): ClaimUser => ({ ...identityOnly(pod), claims: claimsOf(pod) }),
          indexes: [byClaim],
          handlers: {
            modified: (_pod, before) => lookAtThoseOf(before),
            deleted: (_pod, before) => lookAtThoseOf(before),
          },
          onError: failureTeller(tools, name),
        });
        return users;
      },
    },
    tools,
  );
}
