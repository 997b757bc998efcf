import { pathText, setOwn } from "@orch/schema/decode.js";
import { createFloats, type FloatsBuilder } from "@orch/schema/floats.js";
import { exactNumber, type Integer64, integer64 } from "@orch/schema/integer64.js";
import { type Decoded, maxDepth, unreadable } from "../decoded.js";
import { outOfRange, rounded } from "../number-loss.js";
import { createRepeatedKeys, type RepeatedKeys } from "../repeated-keys.js";
import { type TextSource, textBetween } from "../text-source.js";
import { major, simple, tags } from "./wire.js";

/**
 * Reads one CBOR item as the tree that JSON would give (rules: Media types and headers, `application/cbor`).
 *
 * Byte strings are text: Base64 or hex where a tag (21 to 23) asks for it, else their own UTF-8, in which the
 * reference writes every string. Refused: other tags but the self-described one, keys that are no text, strings of
 * indefinite length, undefined, NaN and the infinities, integers of more than 64 bits, nesting beyond the limit, bytes
 * after the item.
 */
export function parseCbor(bytes: Buffer): Decoded {
  const floats = createFloats();
  const start = { at: 0, latin1: undefined, depth: 0, later: undefined, float: undefined };
  const r: Reader = { bytes, ...start, path: [], repeated: createRepeatedKeys(), floats };
  try {
    const value = readItem(r);
    if (r.at < bytes.length) throw new CborProblem(`${bytes.length - r.at} bytes of extraneous data after the item`);
    const found = floats.all();
    return { ok: true, value, duplicates: r.repeated.paths(), ...(found === undefined ? {} : { floats: found }) };
  } catch (error) {
    if (error instanceof CborProblem) return unreadable("cbor", error.message, bytes);
    throw error;
  }
}

class CborProblem extends Error {}

interface Reader extends TextSource {
  at: number;
  /** Lists, maps and tags around the item at hand. */
  depth: number;
  /** Keys and positions from the root. */
  readonly path: (string | number)[];
  readonly repeated: RepeatedKeys;
  /** How byte strings inside the present tags are read. */
  later: "base64url" | "base64" | "hex" | undefined;
  readonly floats: FloatsBuilder;
  /** The item that was just read, where it is a float without a fraction. */
  float: string | undefined;
}

function readItem(r: Reader): unknown {
  const first = readByte(r);
  const info = first & 31;
  switch (first >>> 5) {
    case major.unsigned:
      return readInteger(r, info, false);
    case major.negative:
      return readInteger(r, info, true);
    case major.bytes:
      return readBytes(r, info);
    case major.text:
      return readText(r, info);
    case major.list:
      return deeper(r, info, readList);
    case major.map:
      return deeper(r, info, readMap);
    case major.tag:
      return deeper(r, info, readTagged);
    default:
      return readSimple(r, info);
  }
}

const indefinite = 31;

function deeper(r: Reader, info: number, read: (r: Reader, info: number) => unknown): unknown {
  if (++r.depth > maxDepth) throw new CborProblem(`exceeded max depth of ${maxDepth}`);
  const value = read(r, info);
  r.depth--;
  return value;
}

function readByte(r: Reader): number {
  if (r.at >= r.bytes.length) throw new CborProblem("unexpected end of data");
  return r.bytes[r.at++] ?? 0;
}

/** Skips `size` bytes and returns their place. */
function take(r: Reader, size: number): number {
  if (size > r.bytes.length - r.at) throw new CborProblem("unexpected end of data");
  const at = r.at;
  r.at += size;
  return at;
}

/** The number in a head. It is rounded from 2^53 on; a length of that size is refused anyway. */
function readArgument(r: Reader, info: number): number {
  if (info < 24) return info;
  if (info === 24) return readByte(r);
  if (info === 25) return r.bytes.readUInt16BE(take(r, 2));
  if (info === 26) return r.bytes.readUInt32BE(take(r, 4));
  if (info !== 27) throw new CborProblem(`invalid additional information ${info}`);
  const at = take(r, 8);
  return r.bytes.readUInt32BE(at) * 0x100000000 + r.bytes.readUInt32BE(at + 4);
}

function readInteger(r: Reader, info: number, negative: boolean): Integer64 {
  const start = r.at;
  const argument = readArgument(r, info);
  const value = negative ? -1 - argument : argument;
  if (Number.isSafeInteger(value)) return value;
  const unsigned = r.bytes.readBigUInt64BE(start);
  const whole = negative ? -1n - unsigned : unsigned;
  const exact = integer64(whole);
  if (exact === undefined) throw new CborProblem(rounded(String(whole)));
  return exact;
}

/** Moves behind a string and returns its place. */
function readString(r: Reader, info: number): { readonly start: number; readonly end: number } {
  if (info === indefinite) throw new CborProblem("strings of indefinite length are not supported");
  const size = readArgument(r, info);
  const start = take(r, size);
  return { start, end: r.at };
}

function readText(r: Reader, info: number): string {
  const { start, end } = readString(r, info);
  const text = textBetween(r, start, end);
  if (text === undefined) throw new CborProblem("invalid UTF-8 in a string");
  return text;
}

function readBytes(r: Reader, info: number): string {
  if (r.later === undefined) return readText(r, info);
  const { start, end } = readString(r, info);
  return r.bytes.toString(r.later, start, end);
}

/** The number of items that follow; undefined where a break ends them. Each takes at least `least` bytes. */
function readCount(r: Reader, info: number, least: number): number | undefined {
  if (info === indefinite) return undefined;
  const count = readArgument(r, info);
  if (count * least > r.bytes.length - r.at) throw new CborProblem("unexpected end of data");
  return count;
}

function atBreak(r: Reader): boolean {
  if (r.bytes[r.at] !== major.simple * 32 + simple.break) return false;
  r.at++;
  return true;
}

function readList(r: Reader, info: number): unknown[] {
  const count = readCount(r, info, 1);
  const list: unknown[] = [];
  const place = r.path.push(0) - 1;
  for (let i = 0; count === undefined ? !atBreak(r) : i < count; i++) {
    r.path[place] = i;
    list.push(readItem(r));
    if (r.float !== undefined) noteFloat(r, list, i);
  }
  r.path.pop();
  return list;
}

function readMap(r: Reader, info: number): Record<string, unknown> {
  const count = readCount(r, info, 2);
  const map: Record<string, unknown> = {};
  const place = r.path.push("") - 1;
  for (let i = 0; count === undefined ? !atBreak(r) : i < count; i++) {
    const key = readKey(r);
    r.path[place] = key;
    const known = Object.hasOwn(map, key);
    if (known) r.repeated.add(() => pathText(r.path));
    setOwn(map, key, readItem(r));
    if (known) r.floats.remove(map, key);
    if (r.float !== undefined) noteFloat(r, map, key);
  }
  r.path.pop();
  return map;
}

function noteFloat(r: Reader, holder: object, step: string | number): void {
  if (r.float !== undefined) r.floats.add(holder, step, r.float);
  r.float = undefined;
}

function readKey(r: Reader): string {
  const first = readByte(r);
  const type = first >>> 5;
  if (type !== major.text && type !== major.bytes) throw new CborProblem("keys of maps must be strings");
  return readText(r, first & 31);
}

function readTagged(r: Reader, info: number): unknown {
  const tag = readArgument(r, info);
  const outer = r.later;
  if (tag === tags.base64url) r.later = "base64url";
  else if (tag === tags.base64) r.later = "base64";
  else if (tag === tags.base16) r.later = "hex";
  else if (tag !== tags.selfDescribed) throw new CborProblem(`tag ${tag} is not supported`);
  const value = readItem(r);
  r.later = outer;
  return value;
}

function readSimple(r: Reader, info: number): unknown {
  switch (info) {
    case simple.false:
      return false;
    case simple.true:
      return true;
    case simple.null:
      return null;
    case simple.half:
      return finite(r, halfValue(r.bytes.readUInt16BE(take(r, 2))));
    case simple.single:
      return finite(r, r.bytes.readFloatBE(take(r, 4)));
    case simple.double:
      return finite(r, r.bytes.readDoubleBE(take(r, 8)));
    case simple.break:
      throw new CborProblem('unexpected "break"');
    default:
      throw new CborProblem(`simple value ${info} is not supported`);
  }
}

function finite(r: Reader, value: number): Integer64 {
  if (!Number.isFinite(value)) throw new CborProblem(outOfRange(String(value)));
  if (Number.isInteger(value)) r.float = value.toFixed(1);
  return exactNumber(value);
}

function halfValue(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 0x3ff;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (fraction + 1024) * 2 ** (exponent - 25));
}
