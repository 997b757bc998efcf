import type { Naming } from "@orch/naming/naming.js";
import { ApiError } from "@orch/status/api-error.js";
import type { Client } from "./client.js";
import { metadataOnly } from "./metadata-only.js";
import type { ApiObject, Collection, ObjectList } from "./objects.js";
import { patchTypes } from "./patch-types.js";

export interface MigrateOptions {
  readonly naming: Naming;
  /** Where an earlier run stopped; "" for the beginning. */
  readonly from?: string;
  readonly signal?: AbortSignal;
  /** Called after each page: `next` is where another run would go on, "" at the end. */
  readonly onPage?: (page: MigratedPage) => void | Promise<void>;
  readonly pageSize?: number;
}

export interface MigratedPage {
  readonly next: string;
  readonly done: Migrated;
  /** As the server estimates it; undefined where it does not. */
  readonly left: number | undefined;
}

export interface Migrated {
  readonly objects: number;
  /** Of which so many were stored otherwise than they would be now. */
  readonly rewritten: number;
}

/** Writes under way at a time. */
const mostAtOnce = 16;
const usualPageSize = 500;

/**
 * Has every object of a collection stored as it would be now: in the version and under the key of today. Each is patched with
 * nothing, which a server writes if what it has stored is stale. What changes or goes meanwhile is right already.
 * @throws ApiError the first that is no answer to that
 */
export async function migrateCollection(
  client: Pick<Client, "list" | "patch">,
  collection: Collection,
  options: MigrateOptions,
): Promise<Migrated> {
  const { naming, from = "", signal, onPage, pageSize = usualPageSize } = options;
  const as = metadataOnly(naming);
  let objects = 0;
  let rewritten = 0;

  async function rewrite({ metadata }: ApiObject): Promise<void> {
    const { name = "", namespace, uid, resourceVersion } = metadata;
    const at = namespace === undefined ? collection : { ...collection, namespace };
    const body = { metadata: { uid, resourceVersion } };
    try {
      const patch = { type: patchTypes.merge, body, accept: as.object, ...(signal === undefined ? {} : { signal }) };
      const after = await client.patch(at, name, patch);
      if (after.metadata.resourceVersion !== resourceVersion) rewritten++;
    } catch (error) {
      // Another write came first, or it is gone.
      if (!(error instanceof ApiError) || !superseded.has(error.reason)) throw error;
    }
    objects++;
  }

  const pageAt = async (token: string): Promise<ObjectList> => {
    const rest = { limit: pageSize, accept: as.list, ...(signal === undefined ? {} : { signal }) };
    try {
      return await client.list(collection, token === "" ? rest : { ...rest, continue: token });
    } catch (error) {
      // The state of the first page is kept no more: the rest of the newest one will do.
      const newest = error instanceof ApiError && error.reason === "Expired" ? error.metadata.continue : undefined;
      if (newest === undefined || newest === "") throw error;
      return client.list(collection, { ...rest, continue: newest });
    }
  };

  let token = from;
  do {
    const page = await pageAt(token);
    const waiting = [...page.items];
    const work = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await rewrite(next);
    };
    await Promise.all(Array.from({ length: mostAtOnce }, work));
    token = page.continue;
    await onPage?.({ next: token, done: { objects, rewritten }, left: page.remainingItemCount });
  } while (token !== "");
  return { objects, rewritten };
}

const superseded: ReadonlySet<string> = new Set(["Conflict", "NotFound"]);
