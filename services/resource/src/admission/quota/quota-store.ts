import type { Resources } from "@orch/api/kinds/core/resources.js";
import type { AnyObject } from "@orch/api/object.js";
import type { ResourceQuota } from "@orch/api/quota/types.js";
import { key } from "@orch/store/revision.js";
import type { Entry } from "@orch/store/store.js";
import { encodeStored, storedObject } from "../../write/storing/stored.js";
import { builtIn, type WriteDeps } from "../../write/write.js";

/** A quota as it stands in the store. */
export interface StoredQuota {
  readonly entry: Entry;
  readonly object: AnyObject;
  readonly quota: ResourceQuota;
}

type Deps = Pick<WriteDeps, "store" | "naming" | "catalog">;

/** The quotas of a namespace, in the order of their names. */
export async function readQuotas(deps: Deps, namespace: string): Promise<readonly StoredQuota[]> {
  const kind = builtIn({ deps }, "v1", "ResourceQuota");
  const prefix = key(`${deps.naming.storePrefix}${kind.storage.prefix}/${namespace}/`);
  const { entries } = await deps.store.range({ prefix });
  return entries.map((entry) => {
    const object = storedObject(kind, entry);
    return { entry, object, quota: object };
  });
}

/** Whether nobody else has changed the quota meanwhile. */
export async function storeUsed(deps: Deps, { entry, object, quota }: StoredQuota, used: Resources): Promise<boolean> {
  const kind = builtIn({ deps }, "v1", "ResourceQuota");
  const { resourceVersion: _version, ...metadata } = object.metadata;
  const { bytes: value } = encodeStored(kind, { ...object, metadata, status: { ...quota.status, used } });
  const swap = await deps.store.swap({ key: entry.key, expected: entry.revision, value });
  return swap.done;
}
