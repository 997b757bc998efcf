import { ApiError } from "@orch/status/api-error.js";
import { withoutFinalizer, withoutOwners } from "./examine.js";
import type { GraphNode } from "./graph.js";
import type { LiveObjects, Located } from "./live.js";
import type { Orphaners } from "./orphaners.js";
import { type Identity, orphanFinalizer } from "./references.js";

/**
 * Sets an owner's dependents free, then lets it go. @throws ApiError when one of them could not be, to be tried again
 */
export async function orphanDependents(live: LiveObjects, orphaners: Orphaners, owner: GraphNode): Promise<void> {
  const uids = new Set([owner.identity.uid]);
  const outcomes = await Promise.allSettled(
    [...owner.dependents].map(async ({ identity }) => {
      await live.changeMetadata(located(live, identity), withoutOwners(uids));
    }),
  );
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  orphaners.add(owner.identity.uid);
  await live.changeMetadata(located(live, owner.identity), withoutFinalizer(orphanFinalizer));
}

/** @throws ApiError NotFound where the kind is not served any more */
function located(live: LiveObjects, identity: Identity): Located {
  const place = live.place(identity);
  if (place === undefined) {
    throw new ApiError("NotFound", `no matches for kind "${identity.kind}" in version "${identity.apiVersion}"`);
  }
  const { collection, namespaced } = place;
  return { collection: namespaced ? { ...collection, namespace: identity.namespace } : collection, identity };
}
