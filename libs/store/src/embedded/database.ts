import { type Database, open } from "lmdb";
import type { KeyRange } from "../key-range.js";
import type { Allocate } from "../slabs.js";
import type { Entry } from "../store.js";
import { commitFailure } from "./commit-failure.js";
import {
  decodeEntry,
  decodeHead,
  decodeNumber,
  decodePlace,
  decodeRecord,
  encodeNumber,
  encodePlace,
  encodeRecord,
  type LogRecord,
  type Place,
} from "./record.js";

type ReadTransaction = ReturnType<Database["useReadTransaction"]>;
interface Table extends Database<Buffer, Buffer> {
  /** Lends the bytes until the next read (lmdb's types forget the options). */
  getBinaryFast(id: Buffer, options?: { readonly transaction: ReadTransaction }): Buffer | undefined;
}

const formatVersion = 1;
const metaKeys = {
  format: Buffer.from("format"),
  revision: Buffer.from("revision"),
  compacted: Buffer.from("compacted"),
  swept: Buffer.from("swept"),
  journal: Buffer.from("journal"),
} as const;

/** One moment of the whole database. Release it: an unreleased one keeps old pages from being used again. */
export interface Snapshot {
  readonly revision: number;
  readonly compacted: number;
  /** How far the log was cleared of what compaction forgot. */
  readonly swept: number;
  find(key: Buffer): Place | undefined;
  /** What was put at a revision; a deletion there is a fault of the asker. The value has memory of its own, or what `allocate` gives. */
  entry(revision: number, allocate?: Allocate): Entry | undefined;
  /** Live keys in bytewise order. */
  keys(range: KeyRange): Iterable<{ readonly key: Buffer; readonly place: Place }>;
  count(range: KeyRange): number;
  /** Changes from a revision on, in order. */
  changes(from: number): Iterable<{ readonly revision: number; readonly record: LogRecord }>;
  /** The same without values. */
  heads(from: number): Iterable<{ readonly revision: number; readonly head: Omit<LogRecord, "value"> }>;
  release(): void;
}

/** What one atomic, durable commit changes. */
export interface Commit {
  readonly revision?: number;
  readonly compacted?: number;
  readonly swept?: number;
  readonly journal?: Buffer;
  readonly records?: ReadonlyMap<number, LogRecord>;
  /** The new place of a key; undefined removes it from the index. */
  readonly places?: ReadonlyMap<string, Place | undefined>;
  readonly forgotten?: readonly number[];
}

/**
 * Three tables in one LMDB file: `index` (key → place, live keys only), `log` (revision → change) and
 * `meta`. The one file that knows lmdb.
 */
export interface EmbeddedDatabase {
  snapshot(): Snapshot;
  journal(): Buffer | undefined;
  /**
   * All of it or nothing; resolves when it is on the medium. The work is done by lmdb's own thread.
   * Rejects with the ApiError that tells why not.
   */
  commit(commit: Commit): Promise<void>;
  close(): Promise<void>;
}

export function openDatabase(file: string): EmbeddedDatabase {
  const root = open<Buffer, Buffer>({
    path: file,
    noSubdir: true,
    encoding: "binary",
    keyEncoding: "binary",
    maxDbs: 3,
    cache: false,
    // Commits include the flush: what a reader of this process sees is durable, there is no second state.
    overlappingSync: false,
    // Our commits are explicit batches; with lmdb's own batching a failed one rejects a promise nobody holds.
    eventTurnBatching: false,
  });
  const table = (name: string): Table =>
    root.openDB<Buffer, Buffer>(name, { encoding: "binary", keyEncoding: "binary" });
  const tables = { index: table("index"), log: table("log"), meta: table("meta") };
  const format = tables.meta.getBinary(metaKeys.format);
  if (format !== undefined && decodeNumber(format) !== formatVersion) {
    throw new Error(`${file} has format ${decodeNumber(format)}; this version reads format ${formatVersion}`);
  }

  return {
    snapshot: () => snapshot(root.useReadTransaction(), tables),
    journal: () => tables.meta.getBinary(metaKeys.journal),
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

interface Tables {
  readonly index: Table;
  readonly log: Table;
  readonly meta: Table;
}

function write(tables: Tables, commit: Commit): void {
  for (const [revision, record] of commit.records ?? [])
    void tables.log.put(encodeNumber(revision), encodeRecord(record));
  for (const [key, place] of commit.places ?? []) {
    if (place === undefined) void tables.index.remove(Buffer.from(key));
    else void tables.index.put(Buffer.from(key), encodePlace(place));
  }
  for (const revision of commit.forgotten ?? []) void tables.log.remove(encodeNumber(revision));
  const { meta } = tables;
  if (commit.revision !== undefined) {
    void meta.put(metaKeys.format, encodeNumber(formatVersion));
    void meta.put(metaKeys.revision, encodeNumber(commit.revision));
  }
  if (commit.compacted !== undefined) void meta.put(metaKeys.compacted, encodeNumber(commit.compacted));
  if (commit.swept !== undefined) void meta.put(metaKeys.swept, encodeNumber(commit.swept));
  if (commit.journal !== undefined) void meta.put(metaKeys.journal, commit.journal);
}

function snapshot(transaction: ReadTransaction, { index, log, meta }: Tables): Snapshot {
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
    entry(revision, allocate) {
      const bytes = log.getBinaryFast(encodeNumber(revision), options);
      return bytes === undefined ? undefined : decodeEntry(revision, asBuffer(bytes), { size: bytes.length, allocate });
    },
    keys: ({ start, end }) =>
      index
        .getRange({ start, end, transaction })
        .map(({ key, value }) => ({ key, place: decodePlace(asBuffer(value)) })),
    count: ({ start, end }) => index.getKeysCount({ start, end, transaction }),
    changes: (from) =>
      log.getRange({ start: encodeNumber(from), transaction }).map(({ key, value }) => ({
        revision: decodeNumber(asBuffer(key)),
        record: decodeRecord(asBuffer(value), value.length),
      })),
    heads: (from) =>
      log.getRange({ start: encodeNumber(from), transaction }).map(({ key, value }) => ({
        revision: decodeNumber(asBuffer(key)),
        head: decodeHead(asBuffer(value)),
      })),
    release: () => transaction.done(),
  };
}

/** lmdb returns plain Uint8Arrays in some places where its types say Buffer. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
