import { DecodeError } from "@orch/schema/decode.js";
import { isObject, type ScalarKind } from "@orch/schema/descriptor.js";
import { formatDuration } from "@orch/schema/formats/duration.js";
import { canonicalQuantity } from "@orch/schema/formats/quantity.js";
import { parseJson } from "../json.js";
import {
  enter,
  expectWire,
  leave,
  numberOf,
  type Reader,
  readBigInteger,
  readDouble,
  readInteger,
  readInteger64,
  readLength,
  readTag,
  readText,
  readVarint,
  skip,
  wireOf,
} from "./reader.js";
import { noTimeSeconds, wellKnown, wireType } from "./wire.js";

export interface ValueReader {
  readonly wire: number;
  /** The value at the position, merged with the one of an earlier occurrence; undefined for null. */
  read(r: Reader, known: unknown): unknown;
  /** The value that stands for an absent one in a list or a map; undefined for null. */
  zero(): unknown;
}

/** The scalars of the type model, those that are messages on the wire among them. `where` names the field in errors. */
export function scalarReader(where: string, kind: ScalarKind): ValueReader {
  switch (kind) {
    case "string":
      return { wire: wireType.delimited, read: (r) => readText(r, readLength(r)), zero: () => "" };
    case "bytes":
      return { wire: wireType.delimited, read: readBase64, zero: () => "" };
    case "bool":
      return { wire: wireType.varint, read: (r) => readVarint(r) !== 0, zero: () => false };
    case "int32":
      return { wire: wireType.varint, read: (r) => readInt32(where, r), zero: () => 0 };
    case "int64":
      return { wire: wireType.varint, read: readInteger64, zero: () => 0 };
    case "double":
      return { wire: wireType.fixed64, read: (r) => readFinite(where, r), zero: () => 0 };
    case "time":
      return { wire: wireType.delimited, read: (r) => readTime(where, r).seconds, zero: none };
    case "microTime":
      return { wire: wireType.delimited, read: (r) => readTime(where, r).micros, zero: none };
    case "duration":
      return { wire: wireType.delimited, read: (r) => readDuration(where, r), zero: () => "0s" };
    case "quantity":
      return { wire: wireType.delimited, read: (r, known) => readQuantity(where, r, known), zero: () => "0" };
    case "intOrString":
      return { wire: wireType.delimited, read: (r, known) => readIntOrString(where, r, known), zero: () => 0 };
    case "any":
    case "raw":
    case "fieldsV1":
      return { wire: wireType.delimited, read: (r, known) => readJson(where, r, { known, kind }), zero: none };
  }
}

function none(): undefined {
  return undefined;
}

function refuse(where: string, what: string): never {
  throw new DecodeError("", `${where}: ${what}`);
}

/** The fields of one message that is a scalar in JSON; `read` says whether it knows the field. */
function readFields(r: Reader, read: (number: number, wire: number) => boolean): void {
  const outer = enter(r, readLength(r));
  while (r.at < r.end) {
    const tag = readTag(r);
    if (!read(numberOf(tag), wireOf(tag))) skip(r, wireOf(tag));
  }
  leave(r, outer);
}

function readBase64(r: Reader): string {
  const end = readLength(r);
  const text = r.bytes.toString("base64", r.at, end);
  r.at = end;
  return text;
}

function readInt32(where: string, r: Reader): number {
  const value = readInteger(r, where);
  if (value < -2147483648 || value > 2147483647) refuse(where, `expected int32, got number ${value}: out of range`);
  return value;
}

function readFinite(where: string, r: Reader): number {
  const value = readDouble(r);
  if (!Number.isFinite(value)) refuse(where, `expected number, got ${value}`);
  // -0 is written as 0.
  return value === 0 ? 0 : value;
}

interface Moment {
  readonly seconds: string | undefined;
  readonly micros: string | undefined;
}

const noMoment: Moment = { seconds: undefined, micros: undefined };

/** Years 0 to 9999. */
const firstSecond = -62_167_219_200;
const lastSecond = 253_402_300_799;

function readTime(where: string, r: Reader): Moment {
  let seconds = 0;
  let nanos = 0;
  let came = false;
  readFields(r, (number, wire) => {
    came = true;
    if (number !== wellKnown.seconds && number !== wellKnown.nanos) return false;
    expectWire(where, wire, wireType.varint);
    if (number === wellKnown.seconds) seconds = readInteger(r, where);
    else nanos = readInteger(r, where);
    return true;
  });
  if (!came || (seconds === noTimeSeconds && nanos === 0)) return noMoment;
  if (seconds < firstSecond || seconds > lastSecond || nanos < 0 || nanos > 999_999_999) {
    refuse(where, `${seconds} s and ${nanos} ns is not an RFC 3339 time`);
  }
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  return { seconds: `${text}Z`, micros: `${text}.${String(Math.floor(nanos / 1000)).padStart(6, "0")}Z` };
}

function readDuration(where: string, r: Reader): string {
  let nanoseconds = 0n;
  readFields(r, (number, wire) => {
    if (number !== wellKnown.duration) return false;
    expectWire(where, wire, wireType.varint);
    nanoseconds = readBigInteger(r);
    return true;
  });
  return formatDuration(nanoseconds);
}

function readQuantity(where: string, r: Reader, known: unknown): string {
  let text = typeof known === "string" ? known : "0";
  readFields(r, (number, wire) => {
    if (number !== wellKnown.text) return false;
    expectWire(where, wire, wireType.delimited);
    text = readText(r, readLength(r));
    return true;
  });
  const canonical = canonicalQuantity(text);
  return "text" in canonical ? canonical.text : refuse(where, canonical.wrong);
}

function readIntOrString(where: string, r: Reader, known: unknown): string | number {
  let kind = typeof known === "string" ? 1 : 0;
  let value = typeof known === "number" ? known : 0;
  let text = typeof known === "string" ? known : "";
  readFields(r, (number, wire) => {
    if (number === wellKnown.kind) {
      expectWire(where, wire, wireType.varint);
      kind = readInteger(r, where);
    } else if (number === wellKnown.number) {
      expectWire(where, wire, wireType.varint);
      value = readInt32(where, r);
    } else if (number === wellKnown.string) {
      expectWire(where, wire, wireType.delimited);
      text = readText(r, readLength(r));
    } else return false;
    return true;
  });
  if (kind !== 0 && kind !== 1) refuse(where, `expected int or string, got type ${kind}`);
  return kind === 0 ? value : text;
}

/**
 * JSON text. Embedded objects that are Protobuf or CBOR themselves are refused: what the server keeps of them is
 * JSON, and their types are not known here.
 */
function readJson(where: string, r: Reader, context: { readonly known: unknown; readonly kind: ScalarKind }): unknown {
  let raw: Buffer | undefined;
  readFields(r, (number, wire) => {
    if (number !== wellKnown.raw) return false;
    expectWire(where, wire, wireType.delimited);
    const end = readLength(r);
    raw = r.bytes.subarray(r.at, end);
    r.at = end;
    return true;
  });
  if (raw === undefined) return context.known;
  if (raw.length === 0) return undefined;
  const read = parseJson(raw);
  if (!read.ok) return refuse(where, `expected the object as JSON: ${read.problem}`);
  if (context.kind === "fieldsV1" && !isObject(read.value)) refuse(where, "expected object");
  return read.value ?? undefined;
}
