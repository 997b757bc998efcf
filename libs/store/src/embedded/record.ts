import { crc32 } from "node:zlib";
import { key, revision } from "../revision.js";
import type { Allocate } from "../slabs.js";
import type { Entry } from "../store.js";

/**
 * A line of the log, in the one place a value stands:
 *
 * ```
 * type:1  checksum:4  created:6  previous:6  keyLength:2  key  value        (numbers big endian)
 * ```
 *
 * and a place in the index: `revision:6 created:6`. The checksum (CRC-32) is over all that follows it, begun with the
 * type and the revision under which the line stands: a line that is whole but in another's place is damaged too.
 * Lines of format 1 have no checksum, and types of their own.
 */
export interface LogRecord {
  readonly type: "put" | "delete";
  /** The revision that created the key; for a deletion, of the key it removed. */
  readonly created: number;
  /** The key's revision before this change; 0 when it did not exist. */
  readonly previous: number;
  readonly key: Buffer;
  /** Empty for a deletion. */
  readonly value: Buffer;
}

/** A line that is not what was written. */
export interface DamagedRecord {
  readonly type: "damaged";
  readonly why: string;
  /** The key that it has, which may be damaged itself. */
  readonly claims?: Buffer;
}

export type RecordHead = Omit<LogRecord, "value">;

/** Where a live key's value stands in the log, and since when the key exists. */
export interface Place {
  readonly revision: number;
  readonly created: number;
}

/** Where the index says that a key's value stands. */
export interface Standing {
  readonly key: Buffer;
  readonly revision: number;
}

/** 1: lines of the log without a checksum. 2: with one, and the identity. */
export const formatVersion = 2;

const types = { unsealedPut: 1, unsealedDelete: 2, put: 3, delete: 4 } as const;
const unsealedHeader = 15;
const sealedHeader = 19;
/** What the checksum does not cover: the type, which it begins with, and itself. */
const sealedFrom = 5;

export function encodeRecord(at: number, record: LogRecord): Buffer {
  const { key, value } = record;
  const bytes = Buffer.allocUnsafe(sealedHeader + key.length + value.length);
  bytes[0] = record.type === "put" ? types.put : types.delete;
  bytes.writeUIntBE(record.created, 5, 6);
  bytes.writeUIntBE(record.previous, 11, 6);
  bytes.writeUInt16BE(key.length, 17);
  key.copy(bytes, sealedHeader);
  value.copy(bytes, sealedHeader + key.length);
  bytes.writeUInt32BE(checksum(at, bytes, bytes.length), 1);
  return bytes;
}

function checksum(at: number, bytes: Buffer, size: number): number {
  const place = (at % 0x1_0000_0000) ^ Math.floor(at / 0x1_0000_0000) ^ ((bytes[0] ?? 0) << 24);
  return crc32(bytes.subarray(sealedFrom, size), place >>> 0);
}

/** What a line says of itself, checked. */
interface Opened {
  readonly type: "put" | "delete";
  readonly sealed: boolean;
  readonly keyStart: number;
  readonly valueStart: number;
}

/** `size` is given because lmdb lends one large buffer of which only the first bytes are this record. */
function open(at: number, bytes: Buffer, size: number): Opened | DamagedRecord {
  const type = bytes[0];
  const sealed = type === types.put || type === types.delete;
  if (!sealed && type !== types.unsealedPut && type !== types.unsealedDelete) return damaged("it has no known form");
  const keyStart = sealed ? sealedHeader : unsealedHeader;
  if (size < keyStart) return damaged("it is cut short");
  const valueStart = keyStart + bytes.readUInt16BE(keyStart - 2);
  if (size < valueStart) return damaged("it is cut short");
  if (sealed && bytes.readUInt32BE(1) !== checksum(at, bytes, size)) {
    return { ...damaged("its checksum does not match"), claims: Buffer.from(bytes.subarray(keyStart, valueStart)) };
  }
  return { type: type === types.put || type === types.unsealedPut ? "put" : "delete", sealed, keyStart, valueStart };
}

const damaged = (why: string): DamagedRecord => ({ type: "damaged", why });

/** By default a copy that owns its memory: Buffer.from would take a slice of an 8 KiB pool and pin the whole. */
function copied(
  bytes: Buffer,
  start: number,
  { end, allocate }: { end: number; allocate: Allocate | undefined },
): Buffer {
  const copy = (allocate ?? Buffer.allocUnsafeSlow)(end - start);
  bytes.copy(copy, 0, start, end);
  return copy;
}

export function decodeRecord(at: number, bytes: Buffer, size: number): LogRecord | DamagedRecord {
  const opened = open(at, bytes, size);
  if (opened.type === "damaged") return opened;
  return { ...headOf(bytes, opened), value: copied(bytes, opened.valueStart, { end: size, allocate: undefined }) };
}

/** A record without its value, for walks that only follow revisions. */
export function decodeHead(at: number, bytes: Buffer, size: number): RecordHead | DamagedRecord {
  const opened = open(at, bytes, size);
  return opened.type === "damaged" ? opened : headOf(bytes, opened);
}

function headOf(bytes: Buffer, { type, keyStart, valueStart }: Opened): RecordHead {
  return {
    type,
    created: bytes.readUIntBE(keyStart - 14, 6),
    previous: bytes.readUIntBE(keyStart - 8, 6),
    key: Buffer.from(bytes.subarray(keyStart, valueStart)),
  };
}

/** What was put at revision `at`, without what only writers ask; the value in memory that `allocate` gives. */
export function decodeEntry(at: number, bytes: Buffer, options: DecodeOptions): Entry | DamagedRecord {
  const { size, allocate, of } = options;
  const opened = open(at, bytes, size);
  if (opened.type === "damaged") return opened;
  if (opened.type === "delete") return damaged("a deletion stands in its place");
  const { keyStart, valueStart } = opened;
  if (of !== undefined && bytes.compare(of, 0, of.length, keyStart, valueStart) !== 0)
    return damaged("another key stands in its place");
  return {
    key: key(bytes.toString("utf8", keyStart, valueStart)),
    value: copied(bytes, valueStart, { end: size, allocate }),
    revision: revision(at),
    created: revision(bytes.readUIntBE(keyStart - 14, 6)),
  };
}

export interface DecodeOptions {
  /** As of {@link decodeRecord}. */
  readonly size: number;
  readonly allocate?: Allocate | undefined;
  /** The key that it must be of. */
  readonly of?: Buffer;
}

/** Whether a line of format 1 stands there, which has no checksum yet. */
export function isUnsealed(bytes: Buffer): boolean {
  return bytes[0] === types.unsealedPut || bytes[0] === types.unsealedDelete;
}

export function encodePlace(place: Place): Buffer {
  const bytes = Buffer.allocUnsafe(12);
  bytes.writeUIntBE(place.revision, 0, 6);
  bytes.writeUIntBE(place.created, 6, 6);
  return bytes;
}

export function decodePlace(bytes: Buffer): Place {
  return { revision: bytes.readUIntBE(0, 6), created: bytes.readUIntBE(6, 6) };
}

export function encodeNumber(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(6);
  bytes.writeUIntBE(value, 0, 6);
  return bytes;
}

export function decodeNumber(bytes: Buffer): number {
  return bytes.readUIntBE(0, 6);
}
