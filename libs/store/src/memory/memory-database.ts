import BTreeModule from "sorted-btree";
import type { Commit, EmbeddedDatabase, Snapshot } from "../embedded/database.js";
import { decodeNote, encodeNote, noteAt, notesIn } from "../embedded/note-record.js";
import {
  decodeEntry,
  decodeHead,
  decodeRecord,
  encodeRecord,
  formatVersion,
  isUnsealed,
  type Place,
} from "../embedded/record.js";

const BTree = BTreeModule.default;
type Index = BTreeModule.default<Buffer, Place>;
/** Revision → the line as it would stand on a medium. */
type Log = BTreeModule.default<number, Buffer>;
type NoteTable = BTreeModule.default<Buffer, Buffer>;

interface Noted {
  readonly revision: number;
  readonly compacted: number;
  readonly swept: number;
  readonly unsealed: number;
  readonly journal: Buffer | undefined;
  readonly identity: Buffer | undefined;
}

/** The tables of an embedded store in this process's memory: they end with it. */
export function openMemoryDatabase(): EmbeddedDatabase {
  const index: Index = new BTree<Buffer, Place>([], Buffer.compare);
  const log: Log = new BTree<number, Buffer>([], (a, b) => a - b);
  let noted: Noted = { revision: 0, compacted: 0, swept: 0, unsealed: 0, journal: undefined, identity: undefined };
  const notes: NoteTable = new BTree<Buffer, Buffer>([], Buffer.compare);
  return {
    // A clone shares its nodes with the tree until one of them is written to.
    snapshot: () => snapshotOf(noted, { index: index.clone(), log: log.clone(), notes: notes.clone() }),
    journal: () => noted.journal,
    identity: () => noted.identity,
    format: () => (noted.identity === undefined ? undefined : formatVersion),
    unsealed: () => noted.unsealed,
    pages: () => ({ size: 0, used: 0, free: 0 }),
    copyTo: () => Promise.reject(new TypeError("what is in memory alone is not copied")),
    async commit(commit) {
      write({ index, log, notes }, commit);
      const { records, places, forgotten, notes: _notes, removedNotes, ...rest } = commit;
      noted = { ...noted, ...rest };
    },
    close: async () => {},
  };
}

interface Tables {
  readonly index: Index;
  readonly log: Log;
  readonly notes: NoteTable;
}

function write({ index, log, notes }: Tables, commit: Commit): void {
  for (const [revision, record] of commit.records ?? []) log.set(revision, encodeRecord(revision, record));
  for (const [key, place] of commit.places ?? []) {
    if (place === undefined) index.delete(Buffer.from(key));
    else index.set(Buffer.from(key), place);
  }
  for (const revision of commit.forgotten ?? []) log.delete(revision);
  for (const note of commit.notes ?? []) notes.set(noteAt(note.space, note.key), encodeNote(note));
  const { removedNotes } = commit;
  for (const key of removedNotes?.keys ?? []) notes.delete(noteAt(removedNotes?.space ?? "states", key));
}

function snapshotOf({ revision, compacted, swept }: Noted, { index, log, notes }: Tables): Snapshot {
  return {
    ...{ revision, compacted, swept },
    find: (key) => index.get(key),
    entry({ key, revision: at }, allocate) {
      const bytes = log.get(at);
      if (bytes === undefined) return { type: "damaged", why: "nothing stands in its place" };
      return decodeEntry(at, bytes, { size: bytes.length, allocate, of: key });
    },
    *keys({ start, end }) {
      for (const [key, place] of index.entries(start)) {
        if (Buffer.compare(key, end) >= 0) return;
        yield { key, place };
      }
    },
    *notes(space, range) {
      const { start, end } = notesIn(space, range);
      for (const [key, bytes] of notes.entries(start)) {
        if (Buffer.compare(key, end) >= 0) return;
        yield decodeNote(key, bytes, bytes.length);
      }
    },
    countNotes(space, range) {
      const { start, end } = notesIn(space, range);
      return notes.forRange(start, end, false);
    },
    *allNotes(from) {
      for (const [place, bytes] of notes.entries(from))
        yield { place, note: decodeNote(place, bytes, bytes.length), size: bytes.length };
    },
    count: ({ start, end }) => index.forRange(start, end, false),
    *changes(from) {
      for (const [at, bytes] of log.entries(from))
        yield { revision: at, record: decodeRecord(at, bytes, bytes.length) };
    },
    *heads(from) {
      for (const [at, bytes] of log.entries(from)) {
        const head = decodeHead(at, bytes, bytes.length);
        yield { revision: at, head, size: bytes.length, unsealed: isUnsealed(bytes) };
      }
    },
    release() {},
  };
}
