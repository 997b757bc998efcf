import type { KeyRange } from "../key-range.js";
import { type Note, type NoteSpace, noteSpaces, type UnreadableNote } from "../notes.js";
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

/** Of which space and which key a note is that stands in such a place; undefined where that is no place of a note. */
export function noteOf(place: Buffer): { readonly space: NoteSpace; readonly key: Key } | undefined {
  const text = place.toString();
  const end = text.indexOf(separator);
  const space = noteSpaces.find((each) => each === text.slice(0, end));
  return space === undefined ? undefined : { space, key: key(text.slice(end + 1)) };
}

/** `revision:6`, then a line as the log has it, with its checksum. */
export function encodeNote({ revision: at, key: of, value }: StoredNote): Buffer {
  const line = encodeRecord(at, { type: "put", created: at, previous: 0, key: Buffer.from(of), value });
  return Buffer.concat([encodeNumber(at), line]);
}

/** What stands in the table, under its key there; `size` as of a line of the log. */
export function decodeNote(place: Buffer, bytes: Buffer, size: number): Note | UnreadableNote {
  const of = place.subarray(place.indexOf(0) + 1);
  const at = size < revisionBytes ? 0 : decodeNumber(bytes);
  const damaged = (why: string): UnreadableNote => ({ key: key(of.toString()), revision: revision(at), why });
  if (size < revisionBytes) return damaged("it is cut short");
  const entry = decodeEntry(at, bytes.subarray(revisionBytes, size), { size: size - revisionBytes, of });
  return "why" in entry ? damaged(entry.why) : { key: entry.key, value: entry.value, revision: revision(at) };
}
