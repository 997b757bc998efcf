import { type KeyRange, keyRange } from "../key-range.js";
import type { NoteSpace } from "../notes.js";
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

/** Notes lie behind every key of a caller: no key's first character behind the prefix is `~` or above. */
const noteMark = "~";

/**
 * The key under which a note is stored: `/orch/configmaps/…` of the states → `/orch/~states/configmaps/…`.
 */
export function noteKey(prefix: string, space: NoteSpace, of: Key): Key {
  return key(`${prefix}${noteMark}${space}/${of.slice(prefix.length)}`);
}

/** The other way round. */
export function keyOfNote(prefix: string, space: NoteSpace, stored: Key): Key {
  return key(prefix + stored.slice(prefix.length + noteMark.length + space.length + 1));
}

export function isOwn(prefix: string, text: string): boolean {
  return text.startsWith(prefix + ownMark);
}

/** What a range query reads: never the store's own keys, nor notes. */
export function visible(prefix: string, query: Key, from: Key | undefined): KeyRange {
  const { start, end } = withoutNotes(prefix, query, from);
  const first = Buffer.from(`${prefix}\u0001`);
  return { start: Buffer.compare(start, first) < 0 ? first : start, end };
}

/** What a watch follows: what is kept for the store itself tells how far it has come, and notes would be half of all events. */
export function withoutNotes(prefix: string, query: Key, from?: Key): KeyRange {
  const range = keyRange(query, from);
  const notes = Buffer.from(prefix + noteMark);
  return Buffer.compare(notes, range.end) < 0 ? { ...range, end: notes } : range;
}
