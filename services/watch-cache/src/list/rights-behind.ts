import type { Catalog } from "@orch/api/catalog.js";
import { rightsCollections } from "@orch/api/kinds/rbac/rights-collections.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Permitted } from "@orch/rpc/messages.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Mirror } from "../mirror/mirror.js";

/** Refuses what would show a later state than that from which the rights to see it were read. */
export type RefuseBehind = (permitted: Permitted | undefined, revision: number) => void;

/**
 * `Conflict` where rights have changed up to the revision that are not in those of the request. Where it is not known what has
 * changed, nothing is refused.
 */
export function createRefuseBehind(mirror: Mirror, naming: Naming, catalog: Catalog): RefuseBehind {
  const group = naming.group("rbac.authorization");
  const prefixes = rightsCollections.map((plural) => catalog.find(group, "v1", plural)?.storage.prefix);
  return (permitted, revision) => {
    for (const [i, after] of (permitted?.rights ?? []).entries()) {
      const prefix = prefixes[i];
      const changes = prefix === undefined ? [] : mirror.shelf(prefix).collection.history.since(after);
      if (changes?.some((change) => change.revision <= revision) !== true) continue;
      throw new ApiError("Conflict", "the rights to see this are read from an older state than it is to show");
    }
  };
}
