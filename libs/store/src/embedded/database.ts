import { type Database, open } from "lmdb";
import type { KeyRange } from "../key-range.js";
import type { Note, NoteSpace, UnreadableNote } from "../notes.js";
import type { Key } from "../revision.js";
import type { Allocate } from "../slabs.js";
import type { Entry } from "../store.js";
import { commitFailure } from "./commit-failure.js";
import type { StoredNote } from "./decide.js";
import { decodeNote, encodeNote, noteAt, notesIn } from "./note-record.js";
import {
  type DamagedRecord,
  decodeEntry,
  decodeHead,
  decodeNumber,
  decodePlace,
  decodeRecord,
  encodeNumber,
  encodePlace,
  encodeRecord,
  formatVersion,
  isUnsealed,
  type LogRecord,
  type Place,
  type RecordHead,
  type Standing,
} from "./record.js";

type ReadTransaction = ReturnType<Database["useReadTransaction"]>;
interface Table extends Database<Buffer, Buffer> {
  /** Lends the bytes until the next read (lmdb's types forget the options). */
  getBinaryFast(id: Buffer, options?: { readonly transaction: ReadTransaction }): Buffer | undefined;
}

const metaKeys = {
  format: Buffer.from("format"),
  revision: Buffer.from("revision"),
  compacted: Buffer.from("compacted"),
  swept: Buffer.from("swept"),
  journal: Buffer.from("journal"),
  identity: Buffer.from("identity"),
  unsealed: Buffer.from("unsealed"),
} as const;

/** One moment of the whole database. Release it: an unreleased one keeps old pages from being used again. */
export interface Snapshot {
  readonly revision: number;
  readonly compacted: number;
  /** How far the log was cleared of what compaction forgot. */
  readonly swept: number;
  find(key: Buffer): Place | undefined;
  /** What was put at a revision, if it is what the index says. The value has memory of its own, or what `allocate` gives. */
  entry(of: Standing, allocate?: Allocate): Entry | DamagedRecord;
  /** Notes in bytewise order of their keys. */
  notes(space: NoteSpace, range: KeyRange): Iterable<Note | UnreadableNote>;
  countNotes(space: NoteSpace, range: KeyRange): number;
  /** Notes of all spaces in the order of their places, from one on. */
  allNotes(from: Buffer): Iterable<PlacedNote>;
  /** Live keys in bytewise order. */
  keys(range: KeyRange): Iterable<{ readonly key: Buffer; readonly place: Place }>;
  count(range: KeyRange): number;
  /** Changes from a revision on, in order. */
  changes(from: number): Iterable<{ readonly revision: number; readonly record: LogRecord | DamagedRecord }>;
  /** The same without values, which are checked all the same. */
  heads(from: number): Iterable<Head>;
  release(): void;
}

export interface PlacedNote {
  /** In its table. */
  readonly place: Buffer;
  readonly note: Note | UnreadableNote;
  /** Of the whole line, in bytes. */
  readonly size: number;
}

export interface Head {
  readonly revision: number;
  readonly head: RecordHead | DamagedRecord;
  /** Of the whole line, in bytes. */
  readonly size: number;
  /** A line of format 1, without a checksum. */
  readonly unsealed: boolean;
}

/** What one atomic, durable commit changes. */
export interface Commit {
  readonly revision?: number;
  readonly compacted?: number;
  readonly swept?: number;
  readonly journal?: Buffer;
  readonly identity?: Buffer;
  /** Whether there are lines without a checksum, from a revision on; 0: none. */
  readonly unsealed?: number;
  readonly records?: ReadonlyMap<number, LogRecord>;
  /** The new place of a key; undefined removes it from the index. */
  readonly places?: ReadonlyMap<string, Place | undefined>;
  readonly forgotten?: readonly number[];
  readonly notes?: readonly StoredNote[];
  readonly removedNotes?: { readonly space: NoteSpace; readonly keys: readonly Key[] };
}

/**
 * Four tables in one LMDB file: `index` (key → place, live keys only), `log` (revision → change),
 * `notes` (space and key → revision and note) and `meta`. The one file that knows lmdb.
 */
export interface EmbeddedDatabase {
  snapshot(): Snapshot;
  journal(): Buffer | undefined;
  /** As it was committed, and the format; undefined in a new one. */
  identity(): Buffer | undefined;
  format(): number | undefined;
  /** From which revision on there may be lines without a checksum; 0: none. */
  unsealed(): number;
  /** How many pages of the file are free to be written again, those behind its last used one not counted. */
  pages(): Pages;
  /** Writes one moment of it into a new file, without the pages that are free. */
  copyTo(file: string): Promise<void>;
  /**
   * All of it or nothing; resolves when it is on the medium. The work is done by lmdb's own thread.
   * Rejects with the ApiError that tells why not.
   */
  commit(commit: Commit): Promise<void>;
  close(): Promise<void>;
}

export interface Pages {
  readonly size: number;
  readonly used: number;
  readonly free: number;
}

/** Pages that tell where the others are. */
const metaPages = 2;

/** An option that lmdb's types forget. */
const ownerOnly = { permissionsMode: 0o600 };

export interface OpenOptions {
  /** Beside the process that writes; commits are refused. */
  readonly readOnly?: boolean;
}

export function openDatabase(file: string, { readOnly = false }: OpenOptions = {}): EmbeddedDatabase {
  const root = open<Buffer, Buffer>({
    path: file,
    noSubdir: true,
    encoding: "binary",
    keyEncoding: "binary",
    maxDbs: 4,
    ...ownerOnly,
    cache: false,
    readOnly,
    // Commits include the flush: what a reader of this process sees is durable, there is no second state.
    overlappingSync: false,
    // Our commits are explicit batches; with lmdb's own batching a failed one rejects a promise nobody holds.
    eventTurnBatching: false,
  });
  const table = (name: string): Table =>
    root.openDB<Buffer, Buffer>(name, { encoding: "binary", keyEncoding: "binary" });
  const tables: Tables = { index: table("index"), log: table("log"), meta: table("meta"), notes: table("notes") };
  const readNumber = (key: Buffer): number | undefined => {
    const bytes = tables.meta.getBinary(key);
    return bytes === undefined ? undefined : decodeNumber(bytes);
  };

  return {
    snapshot: () => snapshot(root.useReadTransaction(), tables),
    journal: () => tables.meta.getBinary(metaKeys.journal),
    identity: () => tables.meta.getBinary(metaKeys.identity),
    format: () => readNumber(metaKeys.format),
    unsealed: () => readNumber(metaKeys.unsealed) ?? 0,
    pages: () => pagesOf(root, tables),
    copyTo: (target) => root.backup(target, true),
    async commit(commit) {
      try {
        await root.batch(() => write(tables, commit));
      } catch (error) {
        root.resetReadTxn();
        throw await commitFailure(error, file);
      }
      // Reads of this turn may still hold the state before; whoever awaited the commit must see it.
      root.resetReadTxn();
    },
    close: () => root.close(),
  };
}

function pagesOf(root: Table | Database<Buffer, Buffer>, tables: Tables): Pages {
  const whole: object = root.getStats();
  const trees = [
    statOf(whole, "root"),
    statOf(whole, "free"),
    ...Object.values(tables).flatMap((table) => table?.getStats() ?? []),
  ];
  const inUse = trees.reduce<number>((sum, tree) => sum + pagesOfTree(tree), metaPages);
  const used = Number(statOf(whole, "lastPageNumber")) + 1;
  return { size: Number(statOf(whole, "pageSize")), used, free: Math.max(0, used - inUse) };
}

const treePages = ["treeBranchPageCount", "treeLeafPageCount", "overflowPages"] as const;

function pagesOfTree(tree: unknown): number {
  return treePages.reduce((sum, name) => sum + Number(statOf(tree, name)), 0);
}

/** lmdb's types do not say what its statistics are. */
function statOf(stats: unknown, name: string): unknown {
  const found: unknown = typeof stats === "object" && stats !== null ? Reflect.get(stats, name) : undefined;
  if (found === undefined) throw new TypeError(`lmdb tells no ${name}`);
  return found;
}

interface Tables {
  readonly index: Table;
  readonly log: Table;
  readonly meta: Table;
  /** Absent in a file of an earlier version that is only read. */
  readonly notes: Table | undefined;
}

function write(tables: Tables, commit: Commit): void {
  for (const [revision, record] of commit.records ?? [])
    void tables.log.put(encodeNumber(revision), encodeRecord(revision, record));
  for (const [key, place] of commit.places ?? []) {
    if (place === undefined) void tables.index.remove(Buffer.from(key));
    else void tables.index.put(Buffer.from(key), encodePlace(place));
  }
  for (const note of commit.notes ?? []) void tables.notes?.put(noteAt(note.space, note.key), encodeNote(note));
  for (const key of commit.removedNotes?.keys ?? [])
    void tables.notes?.remove(noteAt(commit.removedNotes?.space ?? "states", key));
  for (const revision of commit.forgotten ?? []) void tables.log.remove(encodeNumber(revision));
  const { meta } = tables;
  if (commit.revision !== undefined) void meta.put(metaKeys.revision, encodeNumber(commit.revision));
  if (commit.identity !== undefined) {
    void meta.put(metaKeys.format, encodeNumber(formatVersion));
    void meta.put(metaKeys.identity, commit.identity);
  }
  if (commit.unsealed !== undefined) void meta.put(metaKeys.unsealed, encodeNumber(commit.unsealed));
  if (commit.compacted !== undefined) void meta.put(metaKeys.compacted, encodeNumber(commit.compacted));
  if (commit.swept !== undefined) void meta.put(metaKeys.swept, encodeNumber(commit.swept));
  if (commit.journal !== undefined) void meta.put(metaKeys.journal, commit.journal);
}

function snapshot(transaction: ReadTransaction, { index, log, meta, notes }: Tables): Snapshot {
  const options = { transaction };
  const number = (key: Buffer): number => {
    const bytes = meta.getBinaryFast(key, options);
    return bytes === undefined ? 0 : decodeNumber(asBuffer(bytes));
  };
  return {
    revision: number(metaKeys.revision),
    compacted: number(metaKeys.compacted),
    swept: number(metaKeys.swept),
    find(key) {
      const bytes = index.getBinaryFast(key, options);
      return bytes === undefined ? undefined : decodePlace(asBuffer(bytes));
    },
    entry({ key, revision }, allocate) {
      const bytes = log.getBinaryFast(encodeNumber(revision), options);
      if (bytes === undefined) return { type: "damaged", why: "nothing stands in its place" };
      return decodeEntry(revision, asBuffer(bytes), { size: bytes.length, allocate, of: key });
    },
    keys: ({ start, end }) =>
      index
        .getRange({ start, end, transaction })
        .map(({ key, value }) => ({ key: asBuffer(key), place: decodePlace(asBuffer(value)) })),
    notes: (space, range) =>
      notes
        ?.getRange({ ...notesIn(space, range), transaction })
        .map(({ key, value }) => decodeNote(asBuffer(key), asBuffer(value), value.length)) ?? [],
    countNotes: (space, range) => notes?.getKeysCount({ ...notesIn(space, range), transaction }) ?? 0,
    allNotes: (from) =>
      notes?.getRange({ start: from, transaction }).map(({ key, value }) => {
        const place = asBuffer(key);
        return { place, note: decodeNote(place, asBuffer(value), value.length), size: value.length };
      }) ?? [],
    count: ({ start, end }) => index.getKeysCount({ start, end, transaction }),
    changes: (from) =>
      log.getRange({ start: encodeNumber(from), transaction }).map(({ key, value }) => {
        const revision = decodeNumber(asBuffer(key));
        return { revision, record: decodeRecord(revision, asBuffer(value), value.length) };
      }),
    heads: (from) =>
      log.getRange({ start: encodeNumber(from), transaction }).map(({ key, value }) => {
        const revision = decodeNumber(asBuffer(key));
        const bytes = asBuffer(value);
        const head = decodeHead(revision, bytes, value.length);
        return { revision, head, size: value.length, unsealed: isUnsealed(bytes) };
      }),
    release: () => transaction.done(),
  };
}

/** lmdb returns plain Uint8Arrays in some places where its types say Buffer. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
