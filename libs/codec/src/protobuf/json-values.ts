import type { Type } from "@orch/schema/descriptor.js";
import { isDate } from "@orch/schema/formats/time.js";
import { putBytes, sizeOf, type Writer } from "../backward-writer.js";
import { treeOf } from "../json.js";
import { endOf, escapedOf, startOf } from "../json-tape.js";
import { type Put, putTimestamp, putterOf } from "./encode.js";
import { wellKnown, wireType } from "./wire.js";
import { putBase64, putDelimitedTag, putInteger, putText, putVarint } from "./writer.js";

/** A text that is being written. Values are told by their places on the tape. */
export interface Source {
  readonly bytes: Buffer;
  readonly numbers: Int32Array;
  /** Of the object whose fields are written now. */
  object: number;
}

/** Writes a field, with its tag; `value` is {@link absent} where the object does not have it. */
export type PutField = (w: Writer, s: Source, value: number) => void;
/** A value with the length that its wire type needs, but without a tag; the zero value for {@link absent}. */
export type PutValue = (w: Writer, s: Source, value: number) => void;

/** No place on the tape. */
export const absent = -1;

/** Says that this text is to be made of a tree. */
export const unusual = new Error("a text that is made of its tree");

/** By way of the value's tree. */
export function treePut(type: Type): PutValue {
  let put: Put | undefined;
  return (w, { bytes, numbers }, value) => {
    put ??= putterOf(type);
    put(w, value === absent ? undefined : treeOf(bytes.subarray(numbers[value + startOf], numbers[value + endOf])));
  };
}

export const putString: PutValue = (w, { bytes, numbers }, value) => {
  if (value === absent) {
    putVarint(w, 0);
    return;
  }
  const [from = 0, to = 0] = [numbers[value + startOf], numbers[value + endOf]];
  if (bytes[from] !== quote) throw unusual;
  if (numbers[value + escapedOf] === 1) {
    putText(w, String(treeOf(bytes.subarray(from, to))));
    return;
  }
  const size = to - from - 2;
  putBytes(w, bytes, { from: from + 1, size });
  putVarint(w, size);
};

export const putBool: PutValue = (w, s, value) =>
  putVarint(w, value !== absent && firstByte(s, value) === letterT ? 1 : 0);

/** What is longer may not be exact. */
const mostDigits = 15;

export function putNumber(other: PutValue): PutValue {
  return (w, s, value) => {
    if (value === absent) {
      putVarint(w, 0);
      return;
    }
    const { bytes, numbers } = s;
    const [from = 0, to = 0] = [numbers[value + startOf], numbers[value + endOf]];
    if (to - from > mostDigits) {
      other(w, s, value);
      return;
    }
    let number = 0;
    for (let i = from; i < to; i++) {
      const digit = (bytes[i] ?? 0) - zero;
      if (digit < 0 || digit > 9) {
        other(w, s, value);
        return;
      }
      number = number * 10 + digit;
    }
    putInteger(w, number);
  };
}

export const putQuantity: PutValue = (w, s, value) => {
  const before = sizeOf(w);
  if (value === absent) putText(w, "0");
  else putString(w, s, value);
  putDelimitedTag(w, wellKnown.text);
  putVarint(w, sizeOf(w) - before);
};

export function putIntOrString(number: PutValue): PutValue {
  return (w, s, value) => {
    const before = sizeOf(w);
    const isText = value !== absent && firstByte(s, value) === quote;
    putString(w, s, isText ? value : absent);
    putDelimitedTag(w, wellKnown.string);
    number(w, s, isText ? absent : value);
    putVarint(w, wellKnown.number * 8 + wireType.varint);
    putVarint(w, isText ? 1 : 0);
    putVarint(w, wellKnown.kind * 8 + wireType.varint);
    putVarint(w, sizeOf(w) - before);
  };
}

/** JSON in Protobuf: as it stands, since it was printed here. */
export const putJson: PutValue = (w, { bytes, numbers }, value) => {
  const before = sizeOf(w);
  if (value !== absent) {
    const from = numbers[value + startOf] ?? 0;
    const size = (numbers[value + endOf] ?? 0) - from;
    putBytes(w, bytes, { from, size });
    putVarint(w, size);
    putDelimitedTag(w, wellKnown.raw);
  }
  putVarint(w, sizeOf(w) - before);
};

/** Base64 text as what it stands for. */
export const putBase64Text: PutValue = (w, s, value) => putBase64(w, value === absent ? "" : asciiOf(s, value));

/** `"2006-01-02T15:04:05Z"` */
const timeSize = 22;

export function putTime(other: PutValue): PutValue {
  return (w, s, value) => {
    if (value === absent) {
      putVarint(w, 0);
      return;
    }
    const from = (s.numbers[value + startOf] ?? 0) + 1;
    const isPlain = (s.numbers[value + endOf] ?? 0) - from + 1 === timeSize;
    const seconds = isPlain ? secondsAt(s.bytes, from) : undefined;
    if (seconds === undefined) {
      other(w, s, value);
      return;
    }
    const before = sizeOf(w);
    putTimestamp(w, seconds, 0);
    putVarint(w, sizeOf(w) - before);
  };
}

/** Undefined for years that Date.UTC takes for others, and for what is no such time. */
function secondsAt(bytes: Buffer, at: number): number | undefined {
  const century = twoDigits(bytes, at);
  const [years, month, day] = [twoDigits(bytes, at + 2), twoDigits(bytes, at + 5), twoDigits(bytes, at + 8)];
  const [hour, minute, second] = [twoDigits(bytes, at + 11), twoDigits(bytes, at + 14), twoDigits(bytes, at + 17)];
  const year = 100 * century + years;
  if (century < 10 || years < 0 || !isDate(year, month, day)) return undefined;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return undefined;
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
}

/** Below 0 for what are no digits. */
function twoDigits(bytes: Buffer, at: number): number {
  const [tens, ones] = [(bytes[at] ?? 0) - zero, (bytes[at + 1] ?? 0) - zero];
  return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1 : 10 * tens + ones;
}

function asciiOf(s: Source, value: number): string {
  expectName(s, value);
  return s.bytes.toString("latin1", (s.numbers[value + startOf] ?? 0) + 1, (s.numbers[value + endOf] ?? 0) - 1);
}

const quote = 0x22;
export const openBrace = 0x7b;
export const openBracket = 0x5b;
/** Of `null`, of `true`. */
export const letterN = 0x6e;
const letterT = 0x74;
const zero = 0x30;

export function firstByte({ bytes, numbers }: Source, value: number): number | undefined {
  return bytes[numbers[value + startOf] ?? 0];
}

export function expect(s: Source, value: number, first: number): void {
  if (firstByte(s, value) !== first) throw unusual;
}

/** A string without escapes. */
export function expectName(s: Source, value: number): void {
  if (firstByte(s, value) !== quote || s.numbers[value + escapedOf] === 1) throw unusual;
}
