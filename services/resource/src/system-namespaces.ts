import type { Kind } from "@orch/api/catalog.js";
import { ApiError } from "@orch/status/api-error.js";
import { create } from "./create.js";
import { ownWrite } from "./own-write.js";
import type { WriteDeps } from "./write.js";

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
      if (!(error instanceof ApiError && error.reason === "AlreadyExists")) throw error;
    });
  }
}
