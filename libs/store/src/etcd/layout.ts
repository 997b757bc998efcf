import { type KeyRange, keyRange } from "../key-range.js";
import { type Key, key } from "../revision.js";

/**
 * What the store keeps for itself lies under `<prefix>\0`, before every key of a caller (a key's first
 * character behind the prefix is never NUL). Ranges start behind it; watches translate it.
 */
const ownMark = "\0";

/** The key on which compactors meet. */
export function compactionKey(prefix: string): Key {
  return key(`${prefix}${ownMark}compaction`);
}

/** Whose cluster lies under the prefix. */
export function identityKey(prefix: string): Key {
  return key(`${prefix}${ownMark}identity`);
}

export function isOwn(prefix: string, text: string): boolean {
  return text.startsWith(prefix + ownMark);
}

/** What a range query reads: never the store's own keys. */
export function visible(prefix: string, query: Key, from: Key | undefined): KeyRange {
  const { start, end } = keyRange(query, from);
  const first = Buffer.from(`${prefix}\u0001`);
  return { start: Buffer.compare(start, first) < 0 ? first : start, end };
}
