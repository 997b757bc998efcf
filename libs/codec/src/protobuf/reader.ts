import { DecodeError } from "@orch/schema/decode.js";
import { type Integer64, integer64 } from "@orch/schema/integer64.js";
import { type TextSource, textBetween } from "../text-source.js";
import { wireType } from "./wire.js";

/** A position in a message, of which `end` is the first byte after what is being read. */
export interface Reader extends TextSource {
  at: number;
  end: number;
  /** Messages around the one at hand. */
  depth: number;
}

/** Messages inside one another. */
const maxDepth = 100;

export function readerOf(bytes: Buffer): Reader {
  return { bytes, at: 0, end: bytes.length, depth: 0, latin1: undefined };
}

/** Bytes that are not Protobuf, or not of this type: a 400 like any value of the wrong type. */
export function malformed(what: string): never {
  throw new DecodeError("", `proto: ${what}`);
}

const longestVarint = 10;

/** Up to 2^64. Values from 2^53 on are rounded: for tags, lengths and values whose range is checked afterwards. */
export function readVarint(r: Reader): number {
  const { bytes } = r;
  let at = r.at;
  if (at >= r.end) return truncated();
  let byte = bytes[at++] ?? 0;
  if (byte < 0x80) {
    r.at = at;
    return byte;
  }
  let value = byte & 0x7f;
  let unit = 0x80;
  for (let i = 1; i < longestVarint; i++) {
    if (at >= r.end) return truncated();
    byte = bytes[at++] ?? 0;
    value += (byte & 0x7f) * unit;
    unit *= 0x80;
    if (byte < 0x80) {
      if (i === longestVarint - 1 && byte > 1) break;
      r.at = at;
      return value;
    }
  }
  return malformed("varint of more than 64 bits");
}

/** Exact, unsigned. */
function readBigVarint(r: Reader): bigint {
  const start = r.at;
  readVarint(r);
  let value = 0n;
  for (let i = r.at - 1; i >= start; i--) value = (value << 7n) | BigInt((r.bytes[i] ?? 0) & 0x7f);
  return value;
}

/** 64 bits in two's complement. */
export function readBigInteger(r: Reader): bigint {
  return BigInt.asIntN(64, readBigVarint(r));
}

export function readInteger64(r: Reader): Integer64 {
  const start = r.at;
  const value = readVarint(r);
  if (value <= Number.MAX_SAFE_INTEGER) return value;
  r.at = start;
  const exact = readBigInteger(r);
  return integer64(exact) ?? exact;
}

/** A small whole number; one that a double cannot hold exactly is refused. */
export function readInteger(r: Reader, field: string): number {
  const value = readInteger64(r);
  if (typeof value === "number") return value;
  throw new DecodeError("", `${field}: got number ${value}: out of range`);
}

/** Moves to the content of a length-delimited value and gives its end. */
export function readLength(r: Reader): number {
  const length = readVarint(r);
  if (length > r.end - r.at) return truncated();
  return r.at + length;
}

/** UTF-8 from here to `end`. */
export function readText(r: Reader, end: number): string {
  const text = textBetween(r, r.at, end) ?? malformed("invalid UTF-8 in a string");
  r.at = end;
  return text;
}

export function readDouble(r: Reader): number {
  if (r.end - r.at < 8) truncated();
  const value = r.bytes.readDoubleLE(r.at);
  r.at += 8;
  return value;
}

/** Skips the value of a field that the type does not know. */
export function skip(r: Reader, wire: number): void {
  switch (wire) {
    case wireType.varint:
      readVarint(r);
      return;
    case wireType.fixed64:
      advance(r, 8);
      return;
    case wireType.fixed32:
      advance(r, 4);
      return;
    case wireType.delimited:
      r.at = readLength(r);
      return;
    default:
      malformed(wire > wireType.fixed32 ? `illegal wire type ${wire}` : "groups are not supported");
  }
}

function advance(r: Reader, size: number): void {
  if (r.end - r.at < size) truncated();
  r.at += size;
}

function truncated(): never {
  return malformed("unexpected end of data");
}

/** Makes `end` the border, one message deeper, and returns the border before it, for {@link leave}. */
export function enter(r: Reader, end: number): number {
  if (++r.depth > maxDepth) malformed(`exceeded max depth of ${maxDepth}`);
  const outer = r.end;
  r.end = end;
  return outer;
}

export function leave(r: Reader, outer: number): void {
  r.end = outer;
  r.depth--;
}

/** A field's number and wire type in one; {@link numberOf} and {@link wireOf} take them apart. */
export function readTag(r: Reader): number {
  const tag = readVarint(r);
  if (tag < 8 || tag > 0xffffffff) return malformed(`illegal tag ${tag}`);
  return tag;
}

export function numberOf(tag: number): number {
  return tag >>> 3;
}

export function wireOf(tag: number): number {
  return tag & 7;
}

export function expectWire(where: string, wire: number, expected: number): void {
  if (wire !== expected) malformed(`wrong wire type ${wire} for field ${where}, expected ${expected}`);
}
