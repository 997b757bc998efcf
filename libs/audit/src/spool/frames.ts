import { crc32 } from "node:zlib";

// A record in a segment: its length, its checksum, its bytes.
//
//   | length, 4 bytes | checksum, 4 bytes | bytes | length | checksum | bytes | …

export const frameBytes = 8;
/** Longer is no record: what stands there was not written here. */
export const longestRecord = 64 * 1024 * 1024;
/** A checksum begins with this, so that zeros, which a file may end in after a power failure, are no record. */
const seed = 0x6f726368;

const checksum = (bytes: Buffer): number => crc32(bytes, seed);

/** Records as they are written, one after the other. */
export function frame(records: readonly Buffer[]): Buffer {
  let length = 0;
  for (const record of records) length += frameBytes + record.length;
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const record of records) {
    bytes.writeUInt32LE(record.length, at);
    bytes.writeUInt32LE(checksum(record), at + 4);
    at += frameBytes;
    record.copy(bytes, at);
    at += record.length;
  }
  return bytes;
}

/** Records of what {@link frame} gave, as parts of it: so many, from one on. Nothing is compared, it never left the memory. */
export function framedAt(bytes: Buffer, { from, most }: { readonly from: number; readonly most: number }): Buffer[] {
  const records: Buffer[] = [];
  let at = 0;
  for (let i = 0; i < from + most; i++) {
    const end = at + frameBytes + bytes.readUInt32LE(at);
    if (i >= from) records.push(bytes.subarray(at + frameBytes, end));
    at = end;
  }
  return records;
}

export interface Unframed {
  readonly records: readonly Buffer[];
  /** Bytes that these records take. */
  readonly used: number;
  /** What follows: nothing, a record of which a part is missing, or bytes that are no record. */
  readonly rest: { readonly type: "end" | "damaged" } | { readonly type: "more"; readonly needs: number };
}

/** The whole records at the beginning of some bytes, at most so many. */
export function unframe(bytes: Buffer, most: number): Unframed {
  const records: Buffer[] = [];
  let at = 0;
  while (records.length < most) {
    if (at === bytes.length) return { records, used: at, rest: { type: "end" } };
    if (bytes.length - at < frameBytes) return { records, used: at, rest: { type: "more", needs: frameBytes } };
    const length = bytes.readUInt32LE(at);
    if (length === 0 || length > longestRecord) return { records, used: at, rest: { type: "damaged" } };
    const end = at + frameBytes + length;
    if (end > bytes.length) return { records, used: at, rest: { type: "more", needs: frameBytes + length } };
    const record = bytes.subarray(at + frameBytes, end);
    if (checksum(record) !== bytes.readUInt32LE(at + 4)) return { records, used: at, rest: { type: "damaged" } };
    records.push(record);
    at = end;
  }
  return { records, used: at, rest: { type: "end" } };
}
