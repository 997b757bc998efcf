import type { FeedEvent } from "@orch/rpc/feed/messages.js";

export const revisionOf = (event: FeedEvent): number => (event.type === "put" ? event.entry.revision : event.revision);

/** Undefined of a change that cannot be read, whose key is not always known. */
export const keyOf = (event: FeedEvent): string | undefined => (event.type === "put" ? event.entry.key : event.key);
