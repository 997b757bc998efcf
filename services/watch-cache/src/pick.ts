/**
 * Reads a few values out of JSON bytes without building the object: a scan that
 * descends only where a wanted path leads and stops once nothing more is wanted.
 */
export type Wanted = readonly WantedName[];

interface WantedName {
  readonly name: string;
  readonly bytes: Buffer;
  readonly next: Wanted | "value";
}

/** `["metadata.labels", "spec.nodeName"]` as a tree of names. */
export function wanted(paths: readonly string[]): Wanted {
  const below = new Map<string, string[]>();
  for (const path of paths) {
    const [name = "", ...rest] = path.split(".");
    const known = below.get(name) ?? [];
    below.set(name, rest.length === 0 ? known : [...known, rest.join(".")]);
  }
  return [...below].map(([name, deeper]) => ({
    name,
    bytes: Buffer.from(name),
    next: deeper.length === 0 ? "value" : wanted(deeper),
  }));
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * The JSON texts of the values at the wanted paths of the object at `bytes[from]`, by path; absent ones are left out. The bytes
 * are valid JSON (they were printed by `JSON.stringify`); anything else throws a SyntaxError.
 */
export function pick(bytes: Buffer, from: number, paths: Wanted): Map<string, string> {
  const found = new Map<string, string>();
  scanObject({ bytes, found }, from, { paths, prefix: "" });
  return found;
}

/** Where the value that begins there ends. */
export function valueEnd(bytes: Buffer, from: number): number {
  return skipValue(bytes, from);
}

interface Scan {
  readonly bytes: Buffer;
  readonly found: Map<string, string>;
}

function scanObject(scan: Scan, from: number, at: { paths: Wanted; prefix: string }): number {
  const { bytes } = scan;
  let left = at.paths.length;
  let i = expect(bytes, skipSpace(bytes, from), openBrace);
  i = skipSpace(bytes, i);
  if (bytes[i] === closeBrace) return i + 1;
  for (;;) {
    const nameEnd = skipString(bytes, i);
    const found = nameAt(bytes, { start: i + 1, end: nameEnd - 1 }, at.paths);
    i = skipSpace(bytes, expect(bytes, skipSpace(bytes, nameEnd), colon));
    if (found === undefined) {
      i = skipValue(bytes, i);
    } else {
      i = take(scan, i, { next: found.next, path: at.prefix + found.name });
      left -= 1;
      // Nothing else is wanted on this level; the caller does not need the object's end at the top.
      if (left === 0 && at.prefix === "") return i;
    }
    i = skipSpace(bytes, i);
    if (bytes[i] === closeBrace) return i + 1;
    i = skipSpace(bytes, expect(bytes, i, comma));
  }
}

/** Which of the names stands there: told by their bytes, since texts made of each name cost more than all else. */
function nameAt(bytes: Buffer, at: { start: number; end: number }, paths: Wanted): WantedName | undefined {
  const length = at.end - at.start;
  for (const path of paths) {
    if (path.bytes.length !== length) continue;
    let same = 0;
    while (same < length && path.bytes[same] === bytes[at.start + same]) same += 1;
    if (same === length) return path;
  }
  return undefined;
}

function take(scan: Scan, from: number, what: { next: Wanted | "value"; path: string }): number {
  const { bytes } = scan;
  if (what.next === "value") {
    const end = skipValue(bytes, from);
    scan.found.set(what.path, bytes.toString("utf8", from, end));
    return end;
  }
  if (bytes[from] !== openBrace) return skipValue(bytes, from);
  return scanObject(scan, from, { paths: what.next, prefix: `${what.path}.` });
}

function expect(bytes: Buffer, at: number, byte: number): number {
  if (bytes[at] !== byte) throw new SyntaxError(`byte ${at}: expected ${String.fromCharCode(byte)}`);
  return at + 1;
}

function skipSpace(bytes: Buffer, from: number): number {
  let i = from;
  for (;;) {
    const byte = bytes[i];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return i;
    i += 1;
  }
}

/** From an opening quote to behind the closing one. */
function skipString(bytes: Buffer, from: number): number {
  let i = expect(bytes, from, quote);
  const { length } = bytes;
  while (i < length) {
    const byte = bytes[i];
    if (byte === quote) return i + 1;
    i += byte === backslash ? 2 : 1;
  }
  throw new SyntaxError(`byte ${from}: a string without an end`);
}

function skipValue(bytes: Buffer, from: number): number {
  const first = bytes[from];
  if (first === quote) return skipString(bytes, from);
  if (first === openBrace || first === openBracket) return skipNested(bytes, from);
  let i = from;
  const { length } = bytes;
  while (i < length) {
    const byte = bytes[i];
    if (byte === comma || byte === closeBrace || byte === closeBracket || byte === 0x20 || byte === 0x0a) return i;
    i += 1;
  }
  return i;
}

function skipNested(bytes: Buffer, from: number): number {
  let depth = 0;
  let i = from;
  const { length } = bytes;
  while (i < length) {
    const byte = bytes[i];
    if (byte === quote) {
      i = skipString(bytes, i);
      continue;
    }
    if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    i += 1;
    if (depth === 0) return i;
  }
  throw new SyntaxError(`byte ${from}: a value without an end`);
}
