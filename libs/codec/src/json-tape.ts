/**
 * Where the values of a JSON text stand, found in one pass and without building them. Each takes {@link stride} numbers:
 *
 *     {"a":[1,"b"]}      0 object 0..13, next 5      its members are keys and values in turn
 *                        1 string 1..4, next 2       2 list 5..12, next 5       3 number 6..7       4 string 8..11
 *
 * The tape does not say whether the text is sound: who reads it finds there what he expects, or refuses it.
 */
export interface JsonTape {
  readonly bytes: Buffer;
  readonly numbers: Int32Array;
}

export const stride = 4;
/** Its first byte. */
export const startOf = 0;
/** Behind its last byte. */
export const endOf = 1;
/** The place on the tape behind it and all that is in it. */
export const nextOf = 2;
/** 1 for a string with escapes. */
export const escapedOf = 3;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const space = 0x20;

/** Behind so many bytes of a string the native search is faster than a loop. */
const shortString = 48;
const initial = 1024 * stride;
const kept = 16 * initial;

// All texts share one tape: it is read before the next text is.
let shared = new Int32Array(initial);
let open = new Int32Array(64);

/** The value that begins at `from`; undefined where none ends. The tape is good until the next call. */
export function jsonTape(bytes: Buffer, from: number): JsonTape | undefined {
  if (shared.length > kept) shared = new Int32Array(initial);
  let numbers = shared;
  let [used, depth] = [0, 0];
  const { length } = bytes;
  for (let i = from; i < length; ) {
    const byte = bytes[i] ?? space;
    if (byte === comma || byte === colon || byte <= space) {
      i++;
      continue;
    }
    if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return undefined;
      const at = open[--depth] ?? 0;
      numbers[at + endOf] = ++i;
      numbers[at + nextOf] = used;
    } else {
      const at = used;
      used += stride;
      if (used > numbers.length) {
        numbers = larger(numbers);
        shared = numbers;
      }
      numbers[at + startOf] = i;
      if (byte === openBrace || byte === openBracket) {
        if (depth === open.length) open = larger(open);
        open[depth++] = at;
        i++;
        continue;
      }
      const end = byte === quote ? endOfString(bytes, i + 1) : endOfScalar(bytes, i + 1);
      i = Math.abs(end);
      numbers[at + endOf] = i;
      numbers[at + nextOf] = used;
      numbers[at + escapedOf] = end < 0 ? 1 : 0;
    }
    if (depth === 0) return { bytes, numbers };
  }
  return undefined;
}

function larger(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const more = new Int32Array(2 * numbers.length);
  more.set(numbers);
  return more;
}

/** Behind the closing quote; negative where there are escapes. */
function endOfString(bytes: Buffer, from: number): number {
  const near = Math.min(bytes.length, from + shortString);
  for (let i = from; i < near; i++) {
    const byte = bytes[i];
    if (byte === quote) return i + 1;
    if (byte === backslash) return -endOfEscaped(bytes, i);
  }
  const end = bytes.indexOf(quote, near);
  if (end < 0) return bytes.length;
  // A run of a string is searched twice at most: from where an escape is, byte by byte.
  const escapeAt = bytes.subarray(near, end).indexOf(backslash);
  return escapeAt < 0 ? end + 1 : -endOfEscaped(bytes, near + escapeAt);
}

function endOfEscaped(bytes: Buffer, from: number): number {
  const { length } = bytes;
  let i = from;
  while (i < length) {
    const byte = bytes[i];
    if (byte === quote) return i + 1;
    i += byte === backslash ? 2 : 1;
  }
  return length;
}

function endOfScalar(bytes: Buffer, from: number): number {
  const { length } = bytes;
  let i = from;
  for (; i < length; i++) {
    const byte = bytes[i] ?? space;
    if (byte === comma || byte === closeBrace || byte === closeBracket || byte <= space) return i;
  }
  return i;
}
