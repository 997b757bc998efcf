import type { KeyRange } from "../key-range.js";
import type { Note, NoteSpace, UnreadableNote } from "../notes.js";
import { type Key, key, revision } from "../revision.js";
import type { StoredNote } from "./decide.js";
import { decodeEntry, decodeNumber, encodeNumber, encodeRecord } from "./record.js";

const separator = "\0";
const revisionBytes = 6;

/** Under which a note stands in its table. */
export function noteAt(space: NoteSpace, of: Key): Buffer {
  return Buffer.from(space + separator + of);
}

/** Where the notes of a space with such keys stand. */
export function notesIn(space: NoteSpace, { start, end }: KeyRange): KeyRange {
  const before = Buffer.from(space + separator);
  return { start: Buffer.concat([before, start]), end: Buffer.concat([before, end]) };
}

/** `revision:6`, then a line as the log has it, with its checksum. */
export function encodeNote({ revision: at, key: of, value }: StoredNote): Buffer {
  const line = encodeRecord(at, { type: "put", created: at, previous: 0, key: Buffer.from(of), value });
  return Buffer.concat([encodeNumber(at), line]);
}

/** What stands in the table, under its key there; `size` as of a line of the log. */
export function decodeNote(place: Buffer, bytes: Buffer, size: number): Note | UnreadableNote {
  const at = decodeNumber(bytes);
  const entry = decodeEntry(at, bytes.subarray(revisionBytes, size), { size: size - revisionBytes });
  if (!("why" in entry)) return { key: entry.key, value: entry.value, revision: revision(at) };
  const text = place.toString();
  return { key: key(text.slice(text.indexOf(separator) + 1)), revision: revision(at), why: entry.why };
}
