import type { Key } from "./revision.js";

/** Keys from `start` (inclusive) to `end` (exclusive), bytewise; the order of the store. */
export interface KeyRange {
  readonly start: Buffer;
  readonly end: Buffer;
}

/**
 * The first byte string after all that start with `prefix`: `a/` → `a0`.
 * A prefix of nothing but 0xff bytes cannot be (keys are UTF-8); an empty one is refused by the stores.
 */
export function prefixEnd(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix);
  for (let i = end.length - 1; i >= 0; i--) {
    const byte = end[i] ?? 0;
    if (byte < 0xff) {
      end[i] = byte + 1;
      return end.subarray(0, i + 1);
    }
  }
  throw new RangeError("a prefix needs a byte below 0xff");
}

/** What a query covers: its prefix, from `from` on where that lies behind the prefix's first key. */
export function keyRange(prefix: Key, from?: Key): KeyRange {
  const start = Buffer.from(prefix);
  const end = prefixEnd(start);
  if (from === undefined) return { start, end };
  const first = Buffer.from(from);
  return { start: Buffer.compare(first, start) > 0 ? first : start, end };
}

export function contains(range: KeyRange, key: Uint8Array): boolean {
  return Buffer.compare(key, range.start) >= 0 && Buffer.compare(key, range.end) < 0;
}
