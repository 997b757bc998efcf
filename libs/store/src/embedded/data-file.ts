import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { StoreRefused } from "../store-refused.js";

/**
 * What LMDB says of its file in the first bytes of its first two pages, of which the one with the larger transaction
 * holds (little endian; a page begins with 24 bytes of its own):
 *
 * ```
 * magic:4@24  version:4@28  pageSize:4@48  lastPage:8@144  transaction:8@152
 * ```
 */
interface Meta {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly transaction: number;
}

const at = { magic: 24, version: 28, pageSize: 48, lastPage: 144, transaction: 152, end: 160 } as const;
const magic = 0xbeefc0de;
const versions = new Set([1, 2]);

const advice =
  "restore it from a backup (copy the backup's data.mdb in its place while the server is stopped), or move the directory away to begin with an empty cluster";

/** Whether there is a database in a file; reading one that is shorter than it says would end the process. @throws StoreRefused when it is not whole */
export function inspectDataFile(file: string, expected: boolean): "whole" | "none" {
  const descriptor = openIfThere(file);
  if (descriptor === undefined) {
    if (expected) throw new StoreRefused(`${file} is missing: ${advice}`);
    return "none";
  }
  try {
    const { size } = fstatSync(descriptor);
    if (size === 0) {
      // A first start that was killed leaves that, too, but no identity beside it.
      if (expected) throw new StoreRefused(`${file} is empty: ${advice}`);
      return "none";
    }
    checkWhole(file, size, newest(descriptor, size));
    return "whole";
  } finally {
    closeSync(descriptor);
  }
}

function checkWhole(file: string, size: number, meta: Meta | undefined): void {
  if (meta === undefined) throw new StoreRefused(`${file} is no database, or its beginning is damaged: ${advice}`);
  const needed = (meta.lastPage + 1) * meta.pageSize;
  if (size < needed) throw new StoreRefused(`${file} is truncated, it has ${size} of ${needed} bytes: ${advice}`);
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function newest(descriptor: number, size: number): Meta | undefined {
  const first = metaAt(descriptor, 0);
  // Where the first page is damaged, the size of a page is not known: those that there are.
  const second = [first?.pageSize ?? 4096, 16384, 65536]
    .filter((start) => start + at.end <= size)
    .map((start) => metaAt(descriptor, start))
    .find((meta) => meta !== undefined);
  if (first === undefined || second === undefined) return first ?? second;
  return second.transaction > first.transaction ? second : first;
}

function metaAt(descriptor: number, start: number): Meta | undefined {
  const bytes = Buffer.alloc(at.end);
  if (readSync(descriptor, bytes, 0, at.end, start) < at.end) return undefined;
  if (bytes.readUInt32LE(at.magic) !== magic || !versions.has(bytes.readUInt32LE(at.version))) return undefined;
  return {
    pageSize: bytes.readUInt32LE(at.pageSize),
    lastPage: Number(bytes.readBigUInt64LE(at.lastPage)),
    transaction: Number(bytes.readBigUInt64LE(at.transaction)),
  };
}
