import { type Key, key } from "@orch/store/revision.js";

const digits = 16;
/** Before every character of a name, so that notes stand in the order of their objects. */
const separator = "\0";

/**
 * Behind the key of its object, by the revision that was changed: `…/name␀0000000000000123`. A creation has none, and is told by
 * the uid of what was created, since objects of one name come and go.
 */
export function noteKeyOf(object: Key, from: number, uid: string): Key {
  return key(`${object}${separator}${from === 0 ? `0-${uid}` : String(from).padStart(digits, "0")}`);
}

/** All notes of an object, and of no other. */
export function notesOf(object: Key): Key {
  return key(object + separator);
}

/** Of which object a note is. */
export function objectOf(note: Key): Key {
  return key(note.slice(0, note.lastIndexOf(separator)));
}

/** Of an object with such a key nothing is noted: it would be taken for another's. */
export function canHaveNotes(object: Key): boolean {
  return !object.includes(separator);
}
