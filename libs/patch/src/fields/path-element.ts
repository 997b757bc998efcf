import { isObject } from "@orch/schema/descriptor.js";
import { type Integer64, integer64 } from "@orch/schema/integer64.js";
import { readJson } from "@orch/status/read-json.js";
import { compareTexts, printJson, printName, shown } from "./go-text.js";

/**
 * One step of a field path, in the words of FieldsV1: `f:<field>`, `k:<keys of a list's item as JSON>`,
 * `v:<item of a set as JSON>`, `i:<index>`. Its text is its identity: every text here is in canonical form.
 */
export type PathElement = string;

/** Within a node: the path of the node is a member itself. */
export const self = ".";

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** The item of a list that has these keys; given in the order of their names. */
export function keyElement(keys: readonly (readonly [name: string, value: unknown])[]): PathElement {
  return `k:{${keys.map(([name, value]) => `${printName(name)}:${printJson(value)}`).join(",")}}`;
}

/** An item of a set. */
export function valueElement(value: unknown): PathElement {
  return `v:${printJson(value)}`;
}

/** A text that is no path element. */
export class PathElementError extends Error {}

// What nearly all elements look like, in canonical form; of more keys than one only their order is left to see to.
const plainValue = '(?:"[\\w./ -]*"|0|-?[1-9]\\d{0,14}|true|false)';
const plainKey = `"[\\w-]+":${plainValue}`;
const oneKey = new RegExp(`^k:\\{${plainKey}\\}$`);
const twoKeys = new RegExp(`^k:\\{"([\\w-]+)":${plainValue},"([\\w-]+)":${plainValue}\\}$`);
const plainItem = new RegExp(`^v:${plainValue}$`);
const plainIndex = /^i:(?:0|-?[1-9]\d{0,14})$/;
const index = /^[+-]?0*\d{1,19}$/;

/** Whether a text is surely a canonical path element; what is not may be one all the same. */
export function isPlainElement(text: string): boolean {
  if (text.charCodeAt(1) !== 0x3a) return false;
  switch (text.charCodeAt(0)) {
    case 0x66: // f
      return true;
    case 0x6b: // k
      return oneKey.test(text) || hasTwoKeys(text);
    case 0x76: // v
      return plainItem.test(text);
    case 0x69: // i
      return plainIndex.test(text);
    default:
      return false;
  }
}

function hasTwoKeys(text: string): boolean {
  const names = twoKeys.exec(text);
  return names !== null && (names[1] ?? "") < (names[2] ?? "");
}

/**
 * A text of FieldsV1 as its canonical path element; undefined for a kind of element that is not known, which the
 * reference passes over. Throws {@link PathElementError}.
 */
export function readPathElement(text: string): PathElement | undefined {
  if (isPlainElement(text)) return text;
  if (text.length < 2) throw new PathElementError("key must be 2 characters long:");
  if (text.charCodeAt(1) !== 0x3a) throw new PathElementError(`missing colon: ${text}`);
  switch (text.charCodeAt(0)) {
    case 0x6b: // k
      return keyElement(readKeys(text));
    case 0x76: // v
      return valueElement(readValue(text));
    case 0x69: // i
      if (!index.test(text.slice(2))) throw new PathElementError(`invalid index: ${text}`);
      return `i:${BigInt(text.slice(2).replace("+", ""))}`;
    default:
      return undefined;
  }
}

// What a number may round, in a set of integers.
const longItem = /^v:-?\d{16,20}$/;

function readValue(text: string): unknown {
  if (longItem.test(text)) {
    const exact = integer64(BigInt(text.slice(2)));
    if (exact !== undefined) return exact;
  }
  try {
    return readJson(text.slice(2));
  } catch {
    throw new PathElementError(`invalid value: ${text}`);
  }
}

function readKeys(text: string): readonly (readonly [string, unknown])[] {
  const keys = readValue(text);
  if (keys === null) return [];
  if (!isObject(keys)) throw new PathElementError(`invalid keys: ${text}`);
  return Object.entries(keys).sort(([a], [b]) => compareTexts(a, b));
}

const rank: Readonly<Record<string, number>> = { ".": 0, f: 1, k: 2, v: 3, i: 4 };

/** What the texts of elements say. */
interface Reading {
  keys(text: PathElement): Keys;
  value(text: PathElement): unknown;
}

const eachTime: Reading = { keys: readKeys, value: readValue };

/** The order in which the elements of a level stand: fields, keys, values, indexes. */
export function comparePathElements(a: PathElement, b: PathElement): number {
  return compareElements(a, b, eachTime);
}

/** {@link comparePathElements} for a sort: a text is parsed once, however often it is compared. */
export function pathElementOrder(): (a: PathElement, b: PathElement) => number {
  const keys = remembering(readKeys);
  const value = remembering(readValue);
  return (a, b) => compareElements(a, b, { keys, value });
}

function remembering<T>(read: (text: PathElement) => T): (text: PathElement) => T {
  const known = new Map<PathElement, { readonly said: T }>();
  return (text) => {
    let entry = known.get(text);
    if (entry === undefined) {
      entry = { said: read(text) };
      known.set(text, entry);
    }
    return entry.said;
  };
}

function compareElements(a: PathElement, b: PathElement, read: Reading): number {
  if (a === b) return 0;
  const kind = a.charAt(0);
  const difference = (rank[kind] ?? 5) - (rank[b.charAt(0)] ?? 5);
  if (difference !== 0) return difference;
  switch (kind) {
    case "k":
      return compareFirstTexts(a, b) ?? compareKeys(read.keys(a), read.keys(b));
    case "v":
      return compareValues(read.value(a), read.value(b));
    case "i":
      return Number(a.slice(2)) - Number(b.slice(2));
    default:
      return compareTexts(a, b);
  }
}

/** The order of two elements whose first keys are plain texts that differ; undefined where that is not so. */
function compareFirstTexts(a: PathElement, b: PathElement): number | undefined {
  let quotes = 0;
  for (let i = 2; i < a.length && i < b.length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === 0x5c || y === 0x5c) return undefined; // escapes
    if (x === y) {
      if (x === 0x22) quotes++;
      continue;
    }
    // Two quotes are around the name; within the text after the third, its end comes first.
    if (quotes !== 3) return undefined;
    if (x === 0x22) return -1;
    return y === 0x22 ? 1 : compareTexts(a.slice(i), b.slice(i));
  }
  return undefined;
}

type Keys = ReturnType<typeof readKeys>;

function compareKeys(a: Keys, b: Keys): number {
  for (const [i, [name, value]] of a.entries()) {
    const other = b[i];
    if (other === undefined) return 1;
    const order = compareTexts(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Numbers, texts, booleans, lists, maps, null; within each by value. */
function compareValues(a: unknown, b: unknown): number {
  const difference = valueRank(a) - valueRank(b);
  if (difference !== 0) return difference;
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  if (Array.isArray(a) && Array.isArray(b)) return compareLists(a, b);
  if (isObject(a) && isObject(b)) return compareTexts(printJson(a), printJson(b));
  return Number(a) - Number(b);
}

function isNumber(value: unknown): value is Integer64 {
  return typeof value === "number" || typeof value === "bigint";
}

function valueRank(value: unknown): number {
  switch (typeof value) {
    case "number":
    case "bigint":
      return 0;
    case "string":
      return 1;
    case "boolean":
      return 2;
    default:
      return value === null ? 5 : Array.isArray(value) ? 3 : 4;
  }
}

function compareLists(a: readonly unknown[], b: readonly unknown[]): number {
  for (const [i, item] of a.entries()) {
    if (i >= b.length) return 1;
    const order = compareValues(item, b[i]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** As error messages show it: `.spec`, `[name="a"]`, `[="x"]`, `[0]`. */
export function showPathElement(element: PathElement): string {
  switch (element.charAt(0)) {
    case "f":
      return `.${element.slice(2)}`;
    case "k":
      return `[${readKeys(element)
        .map(([name, value]) => `${name}=${shown(value)}`)
        .join(",")}]`;
    case "v":
      return `[=${shown(readValue(element))}]`;
    default:
      return `[${element.slice(2)}]`;
  }
}
