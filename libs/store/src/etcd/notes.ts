import { keyRange } from "../key-range.js";
import type { Notes } from "../notes.js";
import type { Calls } from "./calls.js";
import { keyOfNote, noteKey } from "./layout.js";
import { methods } from "./methods.js";
import { readKeys } from "./range.js";

/** Of one transaction: etcd takes no more by default. */
const mostOperations = 128;

/** Notes under a prefix (see {@link Notes}). */
export function createNotes(calls: Calls, prefix: string): Notes {
  return {
    async range({ space, prefix: of, from, limit }) {
      const keys = keyRange(noteKey(prefix, space, of), from && noteKey(prefix, space, from));
      const { entries } = await readKeys(calls, keys, limit === undefined ? {} : { limit });
      return entries.map(({ key, value, revision }) => ({ key: keyOfNote(prefix, space, key), value, revision }));
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
