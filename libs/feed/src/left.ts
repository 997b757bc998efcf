import { createHash } from "node:crypto";
import type { FeedEvent, FeedLeft } from "@orch/rpc/feed/messages.js";
import { key, type Revision } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";

const digestOf = (value: Buffer): Buffer => createHash("sha256").update(value).digest();

/** How a change left its key; undefined of one that cannot be read. */
export function leftBy(event: FeedEvent): FeedLeft | undefined {
  if (event.type === "damaged") return undefined;
  if (event.type === "delete") return { key: event.key, revision: 0, digest: Buffer.alloc(0) };
  const { key: at, revision, value } = event.entry;
  return { key: at, revision, digest: digestOf(value) };
}

/** Whether the state of a store at a revision is the one in which a change has left its key. */
export async function isAsLeft(store: Store, at: Revision, left: FeedLeft): Promise<boolean> {
  if ((await store.revision()) < at) return false;
  const { entries } = await store.range({ prefix: key(left.key), limit: 1, at });
  const [first] = entries;
  const stands = first?.key === left.key ? first : undefined;
  if (left.revision === 0) return stands === undefined;
  return stands !== undefined && stands.revision === left.revision && digestOf(stands.value).equals(left.digest);
}
