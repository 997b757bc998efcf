import type { Kind } from "@orch/api/catalog.js";
import { ApiError } from "@orch/status/api-error.js";
import { DamagedEntry } from "@orch/store/damaged-entry.js";
import { create } from "./write/create.js";
import { ownWrite } from "./write/own-write.js";
import type { WriteDeps } from "./write/write.js";

/** Creates the namespaces that every cluster has; those that are there stay as they are. */
export async function ensureSystemNamespaces({
  deps,
  kind,
}: {
  readonly deps: WriteDeps;
  readonly kind: Kind;
}): Promise<void> {
  for (const name of deps.naming.systemNamespaces) {
    await create(ownWrite(deps, kind, { verb: "create", object: { metadata: { name } } })).catch((error: unknown) => {
      // What is there and cannot be read is for its owner to delete or restore; the others are needed all the same.
      if (error instanceof DamagedEntry) return;
      if (!(error instanceof ApiError && error.reason === "AlreadyExists")) throw error;
    });
  }
}
