import { ApiError } from "@orch/status/api-error.js";
import { type Key, key, type Revision, revision } from "./revision.js";
import type { Store } from "./store.js";

export interface OldestQuery {
  /** The prefix that the store was opened with. */
  readonly prefix: Key;
  readonly from: Revision;
  /** Known to be readable. */
  readonly until: Revision;
}

/** The oldest revision of a span that was not compacted: all after it are readable too. */
export async function oldestReadable(store: Store, { prefix, from, until }: OldestQuery): Promise<Revision> {
  // No key is there: the answer is empty, or that the revision is gone.
  const nothing = key(`${prefix}\u0001`);
  let low: number = from;
  let high: number = until;
  // Most often all of it is readable, and each question about an older revision costs a walk over what came after it.
  if (low < high && (await isReadable(store, nothing, from))) return from;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (await isReadable(store, nothing, revision(middle))) high = middle;
    else low = middle + 1;
  }
  return revision(high);
}

async function isReadable(store: Store, prefix: Key, at: Revision): Promise<boolean> {
  try {
    await store.range({ prefix, at, limit: 1 });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.reason === "Expired") return false;
    throw error;
  }
}
