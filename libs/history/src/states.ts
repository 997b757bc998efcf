import { isReadable, type Note, type NoteSpace, noteSpaces } from "@orch/store/notes.js";
import type { Key } from "@orch/store/revision.js";
import type { Entry, Store } from "@orch/store/store.js";
import { notesOf } from "./note-keys.js";
import { type Author, type Before, type DeletedIdentity, decodeRecord, stateBefore } from "./record.js";

/** What an object was from a revision on. */
export interface ObjectState {
  readonly revision: number;
  /** Who made it so; undefined where nothing of that is kept. */
  readonly author: Author | undefined;
  /** It was created, changed or deleted with this revision; undefined where nobody knows. */
  readonly change: "created" | "changed" | "deleted" | undefined;
  /** The object as it is stored; undefined for a deletion, and where it is lost. */
  readonly value: Buffer | undefined;
}

/** A record of a change with its revision, of which space it came. */
export interface NotedChange {
  readonly revision: number;
  readonly key: Key;
  readonly space: NoteSpace;
  readonly author: Author;
  readonly from: number;
  readonly deleted?: DeletedIdentity | undefined;
  readonly before: Before;
  /** What it takes in the store, in bytes, about. */
  readonly size: number;
}

/** Bounds what one answer reads, should nobody have come to remove what is over the limits. */
export const mostNotes = 5_000;

/** States of one object, newest first. Each is made while they are gone through: all together may take much memory. */
export interface ObjectStates extends Iterable<ObjectState> {
  /** Records of changes that are kept. */
  readonly changes: number;
  /** Nothing is known of such an object. */
  readonly isEmpty: boolean;
}

/** What is stored is read before the records are, so that each of its changes is among them. */
export async function readStates(store: Pick<Store, "get" | "notes">, of: Key): Promise<ObjectStates> {
  const entry = await store.get(of);
  const changes = await readChanges(store, of);
  return statesOf(entry, changes);
}

/** The changes of an object of which there are records, newest first. */
export async function readChanges(store: Pick<Store, "notes">, of: Key): Promise<readonly NotedChange[]> {
  const found = await Promise.all(
    noteSpaces.map(async (space) => {
      const notes = await store.notes.range({ space, prefix: notesOf(of), limit: mostNotes });
      return notes.flatMap((note) => (isReadable(note) ? changeOf(space, note) : []));
    }),
  );
  return newestFirst(found.flat());
}

export function newestFirst(changes: readonly NotedChange[]): readonly NotedChange[] {
  return [...changes].sort((a, b) => b.revision - a.revision);
}

/** One that is no record is as one that is not there. */
export function changeOf(space: NoteSpace, { key, value, revision }: Note): readonly NotedChange[] {
  const record = decodeRecord(value);
  return record === undefined ? [] : [{ ...record, revision, key, space, size: key.length + value.length }];
}

/**
 * From the state that is stored back through its changes, each of which tells what stood there before:
 *
 * ```
 * stored @9   changes  9 (from 7)  7 (from 4)  4 (creation)     →   9, 7, 4
 * stored @9   changes  9 (from 7)  5 (from 4)                   →   9, 7 (nobody knows by whom), 5 (lost), 4 (lost)
 * ```
 */
export function statesOf(entry: StoredEntry | undefined, changes: readonly NotedChange[]): ObjectStates {
  return {
    changes: changes.length,
    isEmpty: entry === undefined && changes.length === 0,
    [Symbol.iterator]: () => walkStates(entry, changes),
  };
}

type StoredEntry = Pick<Entry, "value" | "revision"> & Partial<Pick<Entry, "created">>;

function* walkStates(entry: StoredEntry | undefined, changes: readonly NotedChange[]): Generator<ObjectState> {
  /** The state before all that was told so far, if it is known. */
  let known: Known | undefined = entry;
  for (const change of changes) {
    const { revision, author, from, before, space } = change;
    // Later than what was read of the store.
    if (entry !== undefined && revision > entry.revision) continue;
    if (known !== undefined && known.revision > revision) yield unknownAuthor(known);
    const value = known?.revision === revision ? known.value : undefined;
    const kind = space === "deleted" ? "deleted" : before.type === "nothing" ? "created" : "changed";
    yield { revision, author, change: kind, value };
    known = from === 0 ? undefined : { revision: from, value: stateBefore(before, value) };
  }
  if (known !== undefined) yield unknownAuthor(known);
}

interface Known {
  readonly revision: number;
  readonly value: Buffer | undefined;
  /** Absent where it is not known. */
  readonly created?: number;
}

function unknownAuthor({ revision, value, created }: Known): ObjectState {
  return { revision, value, author: undefined, change: created === revision ? "created" : undefined };
}
