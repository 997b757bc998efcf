import { t } from "../check/types.js";
import { add, exactly, multiply, type Range, range, scale, unbounded } from "../cost/sizes.js";
import { codePoints } from "../syntax/source.js";
import { ArrayList, elementsOf, keyText } from "../values/collections.js";
import { wellFormed } from "../values/text.js";
import { CelError, ListValue, noSuchOverload, type Value } from "../values/value.js";
import { formatString } from "./formatting.js";
import {
  argSize,
  type Cost,
  type Estimate,
  global,
  type Library,
  type LibraryFunction,
  member,
  perUnit,
  type Run,
  stringFactor,
  traversal,
} from "./library.js";
import { traversed, traversedEstimate } from "./lists.js";

const { int, string } = t;

/** Longer results than this are refused: no cost counts what replacing makes. */
const resultLimit = 1 << 24;
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

const charAt: Run = ([x = null, index = null]) => {
  if (typeof x !== "string" || !isInt(index)) return noSuchOverload;
  const points = pointsOf(x);
  const at = Number(index);
  return at < 0 || at > points.length ? outOfRange(index) : points.slice(at, at + 1);
};

const isInt = (x: Value): x is number | bigint => typeof x === "number" || typeof x === "bigint";

const indexOf: Run = ([x = null, part = null, from = 0]) => {
  if (typeof x !== "string" || typeof part !== "string" || !isInt(from)) return noSuchOverload;
  if (part === "") return from;
  const start = Number(from);
  if (start < 0) return outOfRange(from);
  if (start >= codePoints(x)) return -1;
  const found = x.indexOf(part, offsetOf(x, start));
  return found === -1 ? -1 : pointIndex(x, found);
};

const lastIndexOf: Run = ([x = null, part = null, before]) => {
  if (typeof x !== "string" || typeof part !== "string") return noSuchOverload;
  const length = codePoints(x);
  if (part === "") return before ?? length;
  const from = before ?? length - 1;
  if (!isInt(from)) return noSuchOverload;
  const start = Number(from);
  if (start < 0) return before === undefined ? -1 : outOfRange(from);
  if (start >= length) return -1;
  const found = x.lastIndexOf(part, offsetOf(x, start));
  return found === -1 ? -1 : pointIndex(x, found);
};

const substring: Run = ([x = null, from = null, to]) => {
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

const asciiCase =
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

const replace: Run = ([x = null, old = null, by = null, limit = -1]) => {
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

const split: Run = ([x = null, separator = null, limit = -1]) => {
  if (typeof x !== "string" || typeof separator !== "string" || !isInt(limit)) return noSuchOverload;
  const most = Number(limit);
  if (most === 0) return new ArrayList([]);
  const parts = separator === "" ? Array.from(x) : x.split(separator);
  if (most < 0 || parts.length <= most) return new ArrayList(parts);
  const head = parts.slice(0, most - 1);
  return new ArrayList([...head, parts.slice(most - 1).join(separator)]);
};

const join: Run = ([list = null, separator = ""]) => {
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
const joinCost: Cost = ([list = null, separator = ""]) => {
  if (!(list instanceof ListValue) || typeof separator !== "string") return 1;
  let size = 0;
  for (const element of elementsOf(list)) {
    if (typeof element !== "string") return 1;
    size += codePoints(element);
  }
  const separators = Math.max(0, list.size - 1) * codePoints(separator);
  return perUnit(size + separators, 2 * stringFactor);
};

const quotes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

const quote: Run = ([x = null]) => {
  if (typeof x !== "string") return noSuchOverload;
  let out = "";
  for (const point of wellFormed(x)) out += quotes[point] ?? point;
  return `"${out}"`;
};

const blanks = new Set<string>(
  "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000",
);

const trim: Run = ([x = null]) => {
  if (typeof x !== "string") return noSuchOverload;
  let start = 0;
  let end = x.length;
  while (start < end && blanks.has(x[start] ?? "")) start += 1;
  while (end > start && blanks.has(x[end - 1] ?? "")) end -= 1;
  return x.slice(start, end);
};

const sameSize: Estimate = ({ target, sizeOf }) => {
  if (target === undefined) return undefined;
  const size = sizeOf(target);
  return { cost: scale(size, stringFactor), size };
};

const twice = (size: Range): Range => scale(size, 2 * stringFactor);

const splitEstimate: Estimate = ({ target, args: [, limit], sizeOf }) => {
  if (target === undefined) return undefined;
  const size = sizeOf(target);
  const written = limit?.expr?.kind === "literal" && isInt(limit.expr.value) ? BigInt(limit.expr.value) : undefined;
  return { cost: twice(size), size: range(0, written === undefined ? size.max : BigInt.asUintN(64, written)) };
};

const joinEstimate: Estimate = ({ target, args: [separator], sizeOf, elementOf }) => {
  if (target === undefined) return undefined;
  const count = sizeOf(target);
  const element = elementOf(target);
  const parts = element === undefined ? exactly(0) : multiply(count, sizeOf(element));
  const gaps = range(count.min > 0n ? count.min - 1n : 0n, count.max > 0n ? count.max - 1n : 0n);
  const size = separator === undefined ? parts : add(parts, multiply(sizeOf(separator), gaps));
  return { cost: scale(size, stringFactor), size };
};

const ceilDivide = (a: bigint, b: bigint): bigint => {
  const value = Math.ceil(Number(a) / Number(b));
  return value >= 2 ** 64 ? unbounded : BigInt(value);
};

const plusOne = (value: bigint): bigint => (value < unbounded ? value + 1n : value);

/** From the shortest to the longest result that the sizes of text, old and new allow. */
const replaceEstimate: Estimate = ({ target, args: [old, by], sizeOf }) => {
  if (target === undefined || old === undefined || by === undefined) return undefined;
  const text = sizeOf(target);
  const from = sizeOf(old);
  const to = sizeOf(by);
  const count = { min: 0n, max: 0n };
  const retained = { min: 0n, max: 0n };
  if (from.min === 0n) {
    count.max = plusOne(text.max);
    retained.max = text.max;
  } else if (to.max <= from.min) retained.max = text.max;
  else count.max = ceilDivide(text.max, from.min);
  if (from.max === 0n) {
    count.min = plusOne(text.min);
    retained.min = text.min;
  } else if (from.max <= to.min) retained.min = text.min;
  else count.min = ceilDivide(text.min, from.max);
  return { cost: twice(text), size: add(multiply(count, to), retained) };
};

const overText = (
  name: string,
  run: Run,
  overloads: readonly (readonly [id: string, args: readonly (typeof string)[], result?: typeof string])[],
): LibraryFunction => ({
  name,
  overloads: overloads.map(([id, args, result = string]) => ({ ...member(id, [string, ...args], result), run })),
});

const versionZero: readonly LibraryFunction[] = [
  overText("charAt", charAt, [["string_char_at_int", [int]]]),
  {
    ...overText("indexOf", indexOf, [
      ["string_index_of_string", [string], int],
      ["string_index_of_string_int", [string, int], int],
    ]),
    cost: traversed,
    estimate: traversedEstimate,
  },
  {
    ...overText("lastIndexOf", lastIndexOf, [
      ["string_last_index_of_string", [string], int],
      ["string_last_index_of_string_int", [string, int], int],
    ]),
    cost: traversed,
    estimate: traversedEstimate,
  },
  {
    ...overText("lowerAscii", asciiCase(65, 90, 32), [["string_lower_ascii", []]]),
    cost: traversal(0),
    estimate: sameSize,
  },
  {
    ...overText("upperAscii", asciiCase(97, 122, -32), [["string_upper_ascii", []]]),
    cost: traversal(0),
    estimate: sameSize,
  },
  {
    ...overText("replace", replace, [
      ["string_replace_string_string", [string, string]],
      ["string_replace_string_string_int", [string, string, int]],
    ]),
    cost: traversal(0, 2),
    estimate: replaceEstimate,
  },
  {
    ...overText("split", split, [
      ["string_split_string", [string], t.list(string)],
      ["string_split_string_int", [string, int], t.list(string)],
    ]),
    cost: traversal(0, 2),
    estimate: splitEstimate,
  },
  {
    ...overText("substring", substring, [
      ["string_substring_int", [int]],
      ["string_substring_int_int", [int, int]],
    ]),
    cost: traversal(0),
    estimate: sameSize,
  },
  { ...overText("trim", trim, [["string_trim", []]]), cost: traversal(0), estimate: sameSize },
  {
    name: "join",
    cost: joinCost,
    estimate: joinEstimate,
    overloads: [
      { ...member("list_join", [t.list(string)], string), run: join },
      { ...member("list_join_string", [t.list(string), string], string), run: join },
    ],
  },
];

const quoteEstimate: Estimate = ({ args: [x], lengthOf }) => {
  if (x === undefined) return undefined;
  const size = lengthOf(x);
  const max = BigInt.asUintN(64, size.max * 2n + 2n);
  return { cost: scale(size, stringFactor), size: range(size.min + 2n, max) };
};

const versionTwo: readonly LibraryFunction[] = [
  ...versionZero,
  {
    name: "format",
    overloads: [
      {
        ...member("string_format", [string, t.list(t.dyn)], string),
        cost: (args) => perUnit(argSize(args, 0), stringFactor),
        estimate: ({ target, lengthOf }) => target && { cost: scale(lengthOf(target), stringFactor) },
        run: ([x = null, args = null]) =>
          typeof x === "string" && args instanceof ListValue ? formatString(x, args, resultLimit) : noSuchOverload,
      },
    ],
  },
  {
    name: "strings.quote",
    overloads: [
      { ...global("strings_quote", [string], string), run: quote, cost: traversal(0), estimate: quoteEstimate },
    ],
  },
];

export const stringsZero: Library = { name: "strings", since: 23, until: 29, functions: versionZero };
export const stringsTwo: Library = { name: "strings", since: 29, functions: versionTwo };
