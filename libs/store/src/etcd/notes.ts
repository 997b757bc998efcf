import { keyRange } from "../key-range.js";
import type { Note, Notes } from "../notes.js";
import { type Key, key as keyOf } from "../revision.js";
import type { Calls } from "./calls.js";
import { keyOfNote, noteKey } from "./layout.js";
import { methods } from "./methods.js";
import { readKeys } from "./range.js";

/** Of one transaction: etcd takes no more by default. */
const mostOperations = 128;
/** Notes of large states are as large as a message of etcd may be: few are read at once. */
const pageSize = 100;

const behind = (key: Key): Key => keyOf(`${key}\0`);

/** Notes under a prefix (see {@link Notes}). */
export function createNotes(calls: Calls, prefix: string): Notes {
  return {
    async range({ space, prefix: of, from, limit = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY }) {
      const found: Note[] = [];
      let next = from && noteKey(prefix, space, from);
      for (let bytes = 0; ; ) {
        const page = Math.min(limit - found.length, pageSize);
        const { entries } = await readKeys(calls, keyRange(noteKey(prefix, space, of), next), { limit: page });
        for (const { key, value, revision } of entries) {
          if (bytes >= maxBytes) return found;
          found.push({ key: keyOfNote(prefix, space, key), value, revision });
          bytes += value.length;
        }
        const last = entries.at(-1);
        if (last === undefined || entries.length < page || found.length >= limit) return found;
        next = behind(last.key);
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
