import { key, revision } from "../revision.js";
import type { Allocate } from "../slabs.js";
import type { Entry } from "../store.js";

/**
 * A line of the log, in the one place a value stands:
 *
 * ```
 * type:1  created:6  previous:6  keyLength:2  key  value        (numbers big endian)
 * ```
 *
 * and a place in the index: `revision:6 created:6`.
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

/** Where a live key's value stands in the log, and since when the key exists. */
export interface Place {
  readonly revision: number;
  readonly created: number;
}

const header = 15;
const putType = 1;
const deleteType = 2;

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

export function encodeRecord(record: LogRecord): Buffer {
  const { key, value } = record;
  const bytes = Buffer.allocUnsafe(header + key.length + value.length);
  bytes[0] = record.type === "put" ? putType : deleteType;
  bytes.writeUIntBE(record.created, 1, 6);
  bytes.writeUIntBE(record.previous, 7, 6);
  bytes.writeUInt16BE(key.length, 13);
  key.copy(bytes, header);
  value.copy(bytes, header + key.length);
  return bytes;
}

/** `size` is given because lmdb lends one large buffer of which only the first bytes are this record. */
export function decodeRecord(bytes: Buffer, size: number): LogRecord {
  const valueStart = header + bytes.readUInt16BE(13);
  return { ...decodeHead(bytes), value: copied(bytes, valueStart, { end: size, allocate: undefined }) };
}

/** What was put at revision `at`, without what only writers ask; the value in memory that `allocate` gives. */
export function decodeEntry(at: number, bytes: Buffer, { size, allocate }: DecodeOptions): Entry {
  if (bytes[0] !== putType) throw new Error(`the log has no value at revision ${at}`);
  const valueStart = header + bytes.readUInt16BE(13);
  return {
    key: key(bytes.toString("utf8", header, valueStart)),
    value: copied(bytes, valueStart, { end: size, allocate }),
    revision: revision(at),
    created: revision(bytes.readUIntBE(1, 6)),
  };
}

export interface DecodeOptions {
  /** As of {@link decodeRecord}. */
  readonly size: number;
  readonly allocate: Allocate | undefined;
}

/** A record without its value, for walks that only follow revisions. */
export function decodeHead(bytes: Buffer): Omit<LogRecord, "value"> {
  const type = bytes[0];
  if (type !== putType && type !== deleteType) throw new Error(`the log holds a record of unknown type ${type}`);
  const valueStart = header + bytes.readUInt16BE(13);
  return {
    type: type === putType ? "put" : "delete",
    created: bytes.readUIntBE(1, 6),
    previous: bytes.readUIntBE(7, 6),
    key: Buffer.from(bytes.subarray(header, valueStart)),
  };
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
