import type { Client } from "@orch/client/client.js";
import type { ApiObject, Collection } from "@orch/client/objects.js";
import { unlessPast } from "@orch/client/passing.js";
import { isNamespaceEnding } from "../rim/pod-control.js";
import type { SliceChanges } from "./objects.js";

export interface SliceWrites {
  /** Of the slices, all in one namespace. */
  readonly collection: Collection;
  readonly client: Pick<Client, "create" | "update" | "delete">;
  readonly wrote: (slice: ApiObject) => void;
  readonly removed: (slice: ApiObject) => void;
}

/**
 * New slices first, so that no endpoint is missing in between. A namespace that ends takes nothing new: the rest is left.
 * @throws ApiError
 */
export async function writeSlices(changes: SliceChanges, writes: SliceWrites, signal: AbortSignal): Promise<void> {
  const { collection, client, wrote, removed } = writes;
  const type = { apiVersion: `${collection.group}/${collection.version}`, kind: "EndpointSlice" };
  for (const slice of changes.create) {
    try {
      wrote(await client.create(collection, { ...type, ...slice }, { signal }));
    } catch (error) {
      if (isNamespaceEnding(error)) return;
      throw error;
    }
  }
  for (const slice of changes.update) wrote(await client.update(collection, { ...type, ...slice }, { signal }));
  for (const slice of changes.remove) {
    const { name = "", uid = "" } = slice.metadata;
    await client.delete(collection, name, { preconditions: { uid }, signal }).catch(unlessPast);
    removed(slice);
  }
}
