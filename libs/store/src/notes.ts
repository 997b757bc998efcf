import type { Key, Revision } from "./revision.js";

/**
 * What is kept beside entries, of the changes by which they became what they are: written with a change or not at all, and never
 * in ranges, watches or the count of entries. A note has no past of its own: it is there until it is removed.
 */
export interface Notes {
  /** In key order (bytewise UTF-8), as they are now. One that cannot be read is told by its key. */
  range(query: NoteQuery): Promise<readonly (Note | UnreadableNote)[]>;
  /** How many there are under a prefix, without reading them. */
  count(space: NoteSpace, prefix: Key): Promise<number>;
  /**
   * Stores values anew, of notes that {@link range} has told: those that are gone since stay gone. Their revisions stay. Either
   * all of them are written or some, when it fails; it may be done again.
   */
  rewrite(space: NoteSpace, notes: readonly Note[]): Promise<void>;
  /** Those that are not there are passed over. */
  remove(space: NoteSpace, keys: readonly Key[]): Promise<void>;
}

/** Sorts of notes, each with keys of its own: lower-case words. */
export const noteSpaces = ["states", "deleted"] as const;
export type NoteSpace = (typeof noteSpaces)[number];

export interface NewNote {
  readonly space: NoteSpace;
  /** Under the prefix of the store, as that of an entry; where entries are sealed, it is sealed as one with this key would be. */
  readonly key: Key;
  readonly value: Buffer;
}

export interface Note {
  readonly key: Key;
  readonly value: Buffer;
  /** Of the change with which it was written. */
  readonly revision: Revision;
  /** The value should be written anew though it is the same, as of an entry. */
  readonly stale?: true;
}

export interface UnreadableNote {
  readonly key: Key;
  readonly revision: Revision;
  readonly why: string;
}

export interface NoteQuery {
  readonly space: NoteSpace;
  readonly prefix: Key;
  /** Start at this key (inclusive) instead of the prefix's first. */
  readonly from?: Key;
  /** At most this many; all when absent. */
  readonly limit?: number;
  /** Ends behind the note with which values come to so many bytes. */
  readonly maxBytes?: number;
}

export function isReadable(note: Note | UnreadableNote): note is Note {
  return "value" in note;
}
