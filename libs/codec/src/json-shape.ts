/**
 * One pass over the bytes of a JSON text that looks at nothing but strings, brackets, colons and digits.
 * It decides, before a tree is built, whether the text is too deep, and afterwards, without a second look at
 * the bytes, whether a key was repeated: as many colons outside strings as keys in the tree means no.
 */
export interface JsonShape {
  readonly tooDeep: boolean;
  /** Colons outside strings; in a valid text the number of keys written. */
  readonly colons: number;
  /**
   * Whether the text has a number that a double may not hold or that is not an integer: sixteen digits, a point, an
   * exponent.
   */
  readonly riskyNumbers: boolean;
}

const quote = 0x22;
const backslash = 0x5c;
const safeDigits = 15;

export function shapeOf(bytes: Buffer, maxDepth: number): JsonShape {
  const end = bytes.length;
  let colons = 0;
  let depth = 0;
  let digits = 0;
  let riskyNumbers = false;
  for (let i = 0; i < end; i++) {
    const byte = bytes[i];
    if (byte === quote) {
      i = endOfString(bytes, i + 1);
      digits = 0;
    } else if (byte === undefined) {
      break;
    } else if (byte >= 0x30 && byte <= 0x39) {
      if (++digits > safeDigits) riskyNumbers = true;
    } else {
      if (byte === 0x3a) colons++;
      else if (byte === 0x7b || byte === 0x5b) {
        if (++depth > maxDepth) return { tooDeep: true, colons, riskyNumbers };
      } else if (byte === 0x7d || byte === 0x5d) depth--;
      else if ((byte === 0x65 || byte === 0x45 || byte === 0x2e) && digits > 0) riskyNumbers = true;
      digits = 0;
    }
  }
  return { tooDeep: false, colons, riskyNumbers };
}

const shortString = 48;

/** Index of the closing quote, or the length where there is none. */
function endOfString(bytes: Buffer, from: number): number {
  const near = Math.min(bytes.length, from + shortString);
  let i = from;
  while (i < near) {
    const byte = bytes[i];
    if (byte === quote) return i;
    i += byte === backslash ? 2 : 1;
  }
  // Long strings: the native search finds quotes faster than a loop; an odd run of backslashes escapes one.
  for (;;) {
    const at = bytes.indexOf(quote, i);
    if (at < 0) return bytes.length;
    let before = at - 1;
    while (before >= i && bytes[before] === backslash) before--;
    if ((at - before) % 2 === 1) return at;
    i = at + 1;
  }
}

/** Keys of all objects in a tree that JSON.parse made. */
export function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object") keys += countKeys(item);
    return keys;
  }
  for (const item of Object.values(value)) {
    keys++;
    if (typeof item === "object") keys += countKeys(item);
  }
  return keys;
}
