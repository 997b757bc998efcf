import { ApiError, insufficientStorage } from "@orch/status/api-error.js";
import { keyRange } from "../key-range.js";
import { isReadable, type Note, type NoteQuery, type Notes, type UnreadableNote } from "../notes.js";
import type { Key } from "../revision.js";
import type { EmbeddedDatabase, Snapshot } from "./database.js";
import type { StoredNote } from "./decide.js";
import type { Room } from "./room.js";

export interface EmbeddedNotesDeps {
  readonly database: Pick<EmbeddedDatabase, "commit">;
  readonly room: Pick<Room, "admit" | "exhausted">;
  /** @throws ApiError when the store is closed */
  readonly reading: <T>(read: (snapshot: Snapshot) => T) => T;
}

/** Of values in one commit. */
const mostBytes = 2 << 20;
/** What a note takes beside its value, the way to its leaf included. */
const noteBytes = 4 << 10;

/** Notes of an open database (see {@link Notes}); keys are checked by the caller. */
export function createEmbeddedNotes({ database, room, reading }: EmbeddedNotesDeps): Notes {
  let last = Promise.resolve();
  /** One after the other: what one finds to be there must not be removed before it is written anew. */
  const inTurn = (change: () => Promise<void>): Promise<void> => {
    const run = last.then(change);
    last = run.catch(() => {});
    return run;
  };
  const write = async (notes: readonly StoredNote[]): Promise<void> => {
    const size = notes.reduce((sum, { value }) => sum + noteBytes + value.length, 0);
    if (!(await room.admit(size))) throw insufficientStorage();
    const standing = reading((snapshot) => notes.filter((note) => stands(snapshot, note)));
    if (standing.length === 0) return;
    try {
      await database.commit({ notes: standing });
    } catch (error) {
      if (error instanceof ApiError && error.reason === "InsufficientStorage") room.exhausted();
      throw error;
    }
  };

  return {
    range: async (query) => reading((snapshot) => read(snapshot, query)),
    count: async (space, prefix) => reading((snapshot) => snapshot.countNotes(space, keyRange(prefix))),
    async rewrite(space, notes) {
      for (const some of groupsOf(notes)) await inTurn(() => write(some.map((note) => ({ ...note, space }))));
    },
    remove: (space, keys) =>
      inTurn(async () => {
        reading(() => {});
        await database.commit({ removedNotes: { space, keys } });
      }),
  };
}

function read(
  snapshot: Snapshot,
  { space, prefix, from, limit = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY }: NoteQuery,
): readonly (Note | UnreadableNote)[] {
  const notes: (Note | UnreadableNote)[] = [];
  let bytes = 0;
  for (const note of snapshot.notes(space, keyRange(prefix, from))) {
    if (notes.length >= limit || bytes >= maxBytes) break;
    notes.push(note);
    bytes += isReadable(note) ? note.value.length : 0;
  }
  return notes;
}

/** Whether a note is there, of the same change. */
function stands(snapshot: Snapshot, { space, key, revision }: StoredNote): boolean {
  for (const found of snapshot.notes(space, only(key))) return found.revision === revision;
  return false;
}

function only(key: Key) {
  const start = Buffer.from(key);
  return { start, end: Buffer.concat([start, Buffer.alloc(1)]) };
}

function* groupsOf(notes: readonly Note[]): Generator<readonly Note[]> {
  let group: Note[] = [];
  let bytes = 0;
  for (const note of notes) {
    group.push(note);
    bytes += note.value.length;
    if (bytes < mostBytes) continue;
    yield group;
    [group, bytes] = [[], 0];
  }
  if (group.length > 0) yield group;
}
