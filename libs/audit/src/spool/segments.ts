import { type FileHandle, open, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { frameBytes, unframe } from "./frames.js";

/** A file of records. Its name is the number of its first record. */
export interface Segment {
  readonly path: string;
  readonly first: number;
  /** Bytes of whole records. */
  size: number;
}

const digits = 16;
const suffix = ".segment";

export function segmentPath(folder: string, first: number): string {
  return join(folder, `${String(first).padStart(digits, "0")}${suffix}`);
}

/** The segments in a folder in their order; of what else is there nothing is known here. */
export async function findSegments(folder: string): Promise<readonly Segment[]> {
  const segments: Segment[] = [];
  for (const name of await readdir(folder)) {
    const number = name.endsWith(suffix) ? Number(name.slice(0, -suffix.length)) : Number.NaN;
    if (name.length !== digits + suffix.length || !Number.isSafeInteger(number)) continue;
    const path = join(folder, name);
    segments.push({ path, first: number, size: await sizeOf(path) });
  }
  return segments.sort((a, b) => a.first - b.first);
}

async function sizeOf(path: string): Promise<number> {
  const file = await open(path, "r");
  try {
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

/** Removes a segment; one that is gone already is as good. */
export async function removeSegment({ path }: Segment): Promise<void> {
  await unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}

const chunkBytes = 256 * 1024;

export interface ReadRecords {
  readonly records: readonly Buffer[];
  /** Where the next record begins. */
  readonly at: number;
  /** What stands there is no record. */
  readonly damaged: boolean;
}

/** Records of a file from an offset on, up to `size` and at most so many; none where the offset is the end. */
export async function readRecords(
  file: FileHandle,
  { at, size, most }: { readonly at: number; readonly size: number; readonly most: number },
): Promise<ReadRecords> {
  let want = chunkBytes;
  for (;;) {
    const length = Math.min(want, size - at);
    if (length <= 0) return { records: [], at, damaged: false };
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at);
    const { records, used, rest } = unframe(buffer.subarray(0, bytesRead), most);
    if (records.length > 0) return { records, at: at + used, damaged: false };
    const isCut = rest.type === "more" && (bytesRead < length || at + rest.needs > size);
    if (rest.type !== "more" || isCut) return { records, at, damaged: true };
    want = Math.max(rest.needs, frameBytes + want);
  }
}

/** How many whole records a file begins with, and where they end. */
export async function scan(path: string, size: number): Promise<{ readonly count: number; readonly end: number }> {
  const file = await open(path, "r");
  try {
    let count = 0;
    let end = 0;
    for (;;) {
      const { records, at, damaged } = await readRecords(file, { at: end, size, most: Number.MAX_SAFE_INTEGER });
      count += records.length;
      end = at;
      if (damaged || records.length === 0) return { count, end };
    }
  } finally {
    await file.close();
  }
}
