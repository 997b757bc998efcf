import { keyRange } from "../key-range.js";
import type { Note, NoteSpace, Notes } from "../notes.js";
import { type Key, key as keyOf } from "../revision.js";
import type { Calls } from "./calls.js";
import { keyOfNote, noteKey } from "./layout.js";
import { compareResult, compareTarget, methods, toNumber } from "./methods.js";
import { read, readKeys } from "./range.js";

/** Of one transaction: etcd takes no more by default. */
const mostOperations = 128;
/** And of one request, which may have 1.5 MiB; a note may be nearly as large alone. */
const mostBytes = 512 << 10;
/** Notes of large states are as large as a message of etcd may be: few are read at once. */
const pageSize = 100;

const behind = (key: Key): Key => keyOf(`${key}\0`);

/** Notes under a prefix (see {@link Notes}). */
export function createNotes(calls: Calls, prefix: string): Notes {
  /** All of them, if all are there. */
  const put = async (space: NoteSpace, notes: readonly Note[]): Promise<boolean> => {
    const puts = notes.map(({ key, value, revision }) => ({
      ...{ key: Buffer.from(noteKey(prefix, space, key)), value, revision },
    }));
    const answer = await calls.repeatable(methods.txn, {
      compare: puts.map(({ key, revision: createRevision }) => ({
        ...{ key, createRevision, result: compareResult.EQUAL, target: compareTarget.CREATE },
      })),
      success: puts.map(({ key, value }) => ({ requestPut: { key, value } })),
    });
    if (answer.type === "refused") throw answer.error;
    return answer.type === "answer" && answer.response.succeeded === true;
  };

  return {
    async range({ space, prefix: of, from, limit = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY }) {
      const found: Note[] = [];
      let next = from && noteKey(prefix, space, from);
      for (let bytes = 0; ; ) {
        const page = Math.min(limit - found.length, pageSize);
        const { entries } = await readKeys(calls, keyRange(noteKey(prefix, space, of), next), { limit: page });
        // It was created with its change, and may have been written anew since.
        for (const { key, value, created } of entries) {
          if (bytes >= maxBytes) return found;
          found.push({ key: keyOfNote(prefix, space, key), value, revision: created });
          bytes += value.length;
        }
        const last = entries.at(-1);
        if (last === undefined || entries.length < page || found.length >= limit) return found;
        next = behind(last.key);
      }
    },
    async count(space, of) {
      const { start: key, end: rangeEnd } = keyRange(noteKey(prefix, space, of));
      return toNumber((await read(calls, { key, rangeEnd, countOnly: true })).count);
    },
    async rewrite(space, notes) {
      for (const some of groupsOf(notes)) {
        // One that is gone keeps its group from being written: the others are tried alone.
        if (await put(space, some)) continue;
        if (some.length > 1) for (const one of some) await put(space, [one]);
      }
    },
    async remove(space, keys) {
      for (let at = 0; at < keys.length; at += mostOperations) {
        const some = keys.slice(at, at + mostOperations);
        // The key of a note is never used again: removing one twice removes nothing else.
        const success = some.map((of) => ({ requestDeleteRange: { key: Buffer.from(noteKey(prefix, space, of)) } }));
        const answer = await calls.repeatable(methods.txn, { success });
        if (answer.type === "refused") throw answer.error;
      }
    },
  };
}

/** As many as one transaction takes, by their number and their bytes; one at least. */
function groupsOf(notes: readonly Note[]): readonly (readonly Note[])[] {
  const groups: Note[][] = [];
  let bytes = 0;
  for (const note of notes) {
    const size = note.key.length + note.value.length;
    const group = groups.at(-1);
    bytes += size;
    if (group !== undefined && group.length < mostOperations && bytes <= mostBytes) {
      group.push(note);
      continue;
    }
    groups.push([note]);
    bytes = size;
  }
  return groups;
}
