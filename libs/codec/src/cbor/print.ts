import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { putRaw, putUtf8, reserve, type Writer, written } from "../backward-writer.js";
import { major, selfDescribed, simple } from "./wire.js";

export interface CborStyle {
  /**
   * What texts and keys are written as: text strings (the default), or byte strings, as the reference writes all of
   * them. Its Go clients read both, but the Base64 of a `bytes` field only from a byte string.
   */
  readonly strings?: "text" | "bytes";
}

/**
 * A JSON tree as one CBOR item in its self-described tag: definite lengths, shortest heads and floats, keys in the
 * bytewise order of their encoding (RFC 8949, section 4.2.1; for texts: the shorter first). Undefined is left out of
 * objects and is null in lists, as JSON has it.
 */
export function printCbor(value: unknown, style: CborStyle = {}): Buffer {
  return written((w) => {
    putItem(w, value, majorOf(style));
    putRaw(w, selfDescribed);
  });
}

/** One event of a watch in `application/cbor-seq`: a self-described item around one that is printed already. */
export function cborWatchEvent(type: string, printedObject: Buffer, style: CborStyle = {}): Buffer {
  const strings = majorOf(style);
  return written((w) => {
    putRaw(w, printedObject);
    putString(w, "object", strings);
    putString(w, type, strings);
    putString(w, "type", strings);
    putHead(w, major.map, 2);
    putRaw(w, selfDescribed);
  });
}

function majorOf(style: CborStyle): number {
  return style.strings === "bytes" ? major.bytes : major.text;
}

function putItem(w: Writer, value: unknown, strings: number): void {
  if (typeof value === "string") putString(w, value, strings);
  else if (typeof value === "number") putNumber(w, value);
  else if (typeof value === "bigint") putBigInteger(w, value);
  else if (typeof value === "boolean") putHead(w, major.simple, value ? simple.true : simple.false);
  else if (value === null || value === undefined) putHead(w, major.simple, simple.null);
  else if (Array.isArray(value)) {
    for (let i = value.length - 1; i >= 0; i--) putItem(w, value[i], strings);
    putHead(w, major.list, value.length);
  } else if (isObject(value)) putObject(w, value, strings);
  else throw new TypeError(`no CBOR for a ${typeof value}`);
}

function putObject(w: Writer, object: JsonObject, strings: number): void {
  const keys = Object.keys(object).filter((key) => object[key] !== undefined);
  const entries = keys.map((key) => ({ key, bytes: Buffer.from(key) }));
  entries.sort((a, b) => a.bytes.length - b.bytes.length || a.bytes.compare(b.bytes));
  for (const { key, bytes } of entries.reverse()) {
    putItem(w, object[key], strings);
    putRaw(w, bytes);
    putHead(w, strings, bytes.length);
  }
  putHead(w, major.map, keys.length);
}

function putString(w: Writer, text: string, strings: number): void {
  putHead(w, strings, putUtf8(w, text));
}

function putNumber(w: Writer, value: number): void {
  if (Number.isSafeInteger(value)) {
    if (value >= 0) putHead(w, major.unsigned, value);
    else putHead(w, major.negative, -1 - value);
    return;
  }
  if (!Number.isFinite(value)) throw new TypeError(`no CBOR for ${value}`);
  reserve(w, 9);
  if (Math.fround(value) !== value) {
    w.at -= 9;
    w.bytes[w.at] = major.simple * 32 + simple.double;
    w.bytes.writeDoubleBE(value, w.at + 1);
    return;
  }
  const half = halfOf(value);
  if (half === undefined) {
    w.at -= 5;
    w.bytes[w.at] = major.simple * 32 + simple.single;
    w.bytes.writeFloatBE(value, w.at + 1);
    return;
  }
  w.at -= 3;
  w.bytes[w.at] = major.simple * 32 + simple.half;
  w.bytes.writeUInt16BE(half, w.at + 1);
}

/** Of 64 bits, from 2^32 on. */
function putBigInteger(w: Writer, value: bigint): void {
  reserve(w, 9);
  w.at -= 9;
  w.bytes[w.at] = (value < 0n ? major.negative : major.unsigned) * 32 + 27;
  w.bytes.writeBigUInt64BE(value < 0n ? -1n - value : value, w.at + 1);
}

/** The bits of a number that sixteen hold exactly: ten of fraction, exponents from -14, below that fixed steps. */
function halfOf(value: number): number | undefined {
  const size = Math.abs(value);
  if (size >= 65_536 || size < 2 ** -24) return undefined;
  const exponent = Math.max(-14, Math.floor(Math.log2(size)));
  const steps = size * 2 ** (10 - exponent);
  if (!Number.isInteger(steps) || steps >= 2048) return undefined;
  const bits = steps < 1024 ? steps : ((exponent + 15) << 10) + (steps - 1024);
  return value < 0 ? bits + 0x8000 : bits;
}

/** Of integers up to 2^53 - 1. */
function putHead(w: Writer, type: number, value: number): void {
  reserve(w, 9);
  const { bytes } = w;
  if (value < 24) {
    bytes[--w.at] = type * 32 + value;
  } else if (value < 0x100) {
    bytes[--w.at] = value;
    bytes[--w.at] = type * 32 + 24;
  } else if (value < 0x10000) {
    w.at -= 3;
    bytes[w.at] = type * 32 + 25;
    bytes.writeUInt16BE(value, w.at + 1);
  } else if (value <= 0xffffffff) {
    w.at -= 5;
    bytes[w.at] = type * 32 + 26;
    bytes.writeUInt32BE(value, w.at + 1);
  } else {
    w.at -= 9;
    bytes[w.at] = type * 32 + 27;
    bytes.writeUInt32BE(Math.floor(value / 0x100000000), w.at + 1);
    bytes.writeUInt32BE(value % 0x100000000, w.at + 5);
  }
}
