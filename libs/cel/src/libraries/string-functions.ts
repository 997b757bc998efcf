import { shortEscapes } from "@orch/status/quoted.js";
import { codePoints } from "../syntax/source.js";
import { ArrayList, elementsOf, keyText } from "../values/collections.js";
import { wellFormed } from "../values/text.js";
import { CelError, ListValue, noSuchOverload, type Value } from "../values/value.js";
import { type Cost, perUnit, type Run, stringFactor } from "./library.js";

/** Longer results than this are refused: no cost counts what replacing makes. */
export const resultLimit = 1 << 24;
const tooLong = new CelError("result of string function is too long");

const outOfRange = (index: number | bigint): CelError => new CelError(`index out of range: ${index}`);

/** Code points by index; of ASCII text no array is made. */
interface Points {
  readonly length: number;
  slice(from: number, to?: number): string;
}

function pointsOf(text: string): Points {
  const length = codePoints(text);
  if (length === text.length) return { length, slice: (from, to) => text.slice(from, to) };
  const points = Array.from(text);
  return { length, slice: (from, to) => points.slice(from, to).join("") };
}

/** The index in code points of an offset in the text. */
const pointIndex = (text: string, offset: number): number => codePoints(text, 0, offset);

function offsetOf(text: string, index: number): number {
  let offset = 0;
  for (let i = 0; i < index && offset < text.length; i++) offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  return offset;
}

export const charAt: Run = ([x = null, index = null]) => {
  if (typeof x !== "string" || !isInt(index)) return noSuchOverload;
  const points = pointsOf(x);
  const at = Number(index);
  return at < 0 || at > points.length ? outOfRange(index) : points.slice(at, at + 1);
};

export const isInt = (x: Value): x is number | bigint => typeof x === "number" || typeof x === "bigint";

export const indexOf: Run = ([x = null, part = null, from = 0]) => {
  if (typeof x !== "string" || typeof part !== "string" || !isInt(from)) return noSuchOverload;
  if (part === "") return from;
  const start = Number(from);
  if (start < 0) return outOfRange(from);
  if (start >= codePoints(x)) return -1;
  const found = x.indexOf(part, offsetOf(x, start));
  return found === -1 ? -1 : pointIndex(x, found);
};

export const lastIndexOf: Run = ([x = null, part = null, before]) => {
  if (typeof x !== "string" || typeof part !== "string") return noSuchOverload;
  const length = codePoints(x);
  if (part === "") return before ?? length;
  const from = before ?? length - 1;
  if (!isInt(from)) return noSuchOverload;
  const start = Number(from);
  if (start < 0) return outOfRange(from);
  if (start >= length) return -1;
  const found = x.lastIndexOf(part, offsetOf(x, start));
  return found === -1 ? -1 : pointIndex(x, found);
};

export const substring: Run = ([x = null, from = null, to]) => {
  if (typeof x !== "string" || !isInt(from)) return noSuchOverload;
  const points = pointsOf(x);
  const start = Number(from);
  if (to === undefined) return start < 0 || start > points.length ? outOfRange(from) : points.slice(start);
  if (!isInt(to)) return noSuchOverload;
  const end = Number(to);
  if (start > end) return new CelError(`invalid substring range. start: ${from}, end: ${to}`);
  if (start < 0 || start > points.length) return outOfRange(from);
  return end < 0 || end > points.length ? outOfRange(to) : points.slice(start, end);
};

export const asciiCase =
  (low: number, high: number, shift: number): Run =>
  ([x = null]) => {
    if (typeof x !== "string") return noSuchOverload;
    let out = "";
    let kept = 0;
    for (let i = 0; i < x.length; i++) {
      const c = x.charCodeAt(i);
      if (c < low || c > high) continue;
      out += x.slice(kept, i) + String.fromCharCode(c + shift);
      kept = i + 1;
    }
    return out + x.slice(kept);
  };

export const replace: Run = ([x = null, old = null, by = null, limit = -1]) => {
  if (typeof x !== "string" || typeof old !== "string" || typeof by !== "string" || !isInt(limit))
    return noSuchOverload;
  const most = Number(limit) < 0 ? Number.POSITIVE_INFINITY : Number(limit);
  const found = occurrences(x, old, most);
  if (x.length + found.length * by.length > resultLimit) return tooLong;
  let out = "";
  let at = 0;
  for (const start of found) {
    out += x.slice(at, start) + by;
    at = start + old.length;
  }
  return out + x.slice(at);
};

/** Where `part` begins, not overlapping; of the empty text: before each code point and at the end. */
function occurrences(text: string, part: string, most: number): readonly number[] {
  const found: number[] = [];
  if (part === "") {
    for (let at = 0; at <= text.length && found.length < most; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
      found.push(at);
    }
    return found;
  }
  for (let at = text.indexOf(part); at !== -1 && found.length < most; at = text.indexOf(part, at + part.length)) {
    found.push(at);
  }
  return found;
}

export const split: Run = ([x = null, separator = null, limit = -1]) => {
  if (typeof x !== "string" || typeof separator !== "string" || !isInt(limit)) return noSuchOverload;
  const most = Number(limit);
  if (most === 0) return new ArrayList([]);
  const parts = separator === "" ? Array.from(x) : x.split(separator);
  if (most < 0 || parts.length <= most) return new ArrayList(parts);
  const head = parts.slice(0, most - 1);
  return new ArrayList([...head, parts.slice(most - 1).join(separator)]);
};

export const join: Run = ([list = null, separator = ""]) => {
  if (!(list instanceof ListValue) || typeof separator !== "string") return noSuchOverload;
  const parts: string[] = [];
  let size = 0;
  for (const element of elementsOf(list)) {
    if (typeof element !== "string") return new CelError(`join: invalid input: ${keyText(element)}`);
    size += element.length + separator.length;
    if (size > resultLimit) return tooLong;
    parts.push(element);
  }
  return parts.join(separator);
};

/** Twice the size of the result; of what fails, 1. */
export const joinCost: Cost = ([list = null, separator = ""]) => {
  if (!(list instanceof ListValue) || typeof separator !== "string") return 1;
  let size = 0;
  for (const element of elementsOf(list)) {
    if (typeof element !== "string") return 1;
    size += codePoints(element);
  }
  const separators = Math.max(0, list.size - 1) * codePoints(separator);
  return perUnit(size + separators, 2 * stringFactor);
};

export const quote: Run = ([x = null]) => {
  if (typeof x !== "string") return noSuchOverload;
  let out = "";
  for (const point of wellFormed(x)) out += shortEscapes[point] ?? point;
  return `"${out}"`;
};

const blanks = new Set<string>(
  "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000",
);

export const trim: Run = ([x = null]) => {
  if (typeof x !== "string") return noSuchOverload;
  let start = 0;
  let end = x.length;
  while (start < end && blanks.has(x[start] ?? "")) start += 1;
  while (end > start && blanks.has(x[end - 1] ?? "")) end -= 1;
  return x.slice(start, end);
};
