import { isObject } from "@orch/schema/descriptor.js";
import { cut } from "@orch/status/cut.js";
import { jsonText } from "@orch/status/json-text.js";

/** What differs at one place of two objects. */
export interface FieldChange {
  /** `.spec.containers[name="web"].image`; items without names of their own by their place, `[0]`. */
  readonly path: string;
  readonly operation: "added" | "removed" | "changed";
  /** Absent where it was added. */
  readonly before?: unknown;
  /** Absent where it was removed. */
  readonly after?: unknown;
}

export interface Difference {
  readonly changes: readonly FieldChange[];
  /** There are more than are told. */
  readonly more: boolean;
}

/** What every write changes, or what only the server counts. */
const left: ReadonlySet<string> = new Set([".metadata.managedFields", ".metadata.resourceVersion"]);
/** A path that may be one of them: a longer one is not looked at as a whole, at each field below a name of a megabyte. */
const longestLeft = 30;
const deepest = 100;
/** What lies behind a longer path is told as one change: names that objects choose can be as long as they are. */
const longestPath = 1000;
const longestStep = 200;

/** The places at which two objects differ, in the order in which the second has its fields; at most `most` of them. */
export function differenceOf(before: unknown, after: unknown, most: number): Difference {
  const changes: FieldChange[] = [];
  let more = false;
  const tell = (change: FieldChange): void => {
    if (changes.length < most) changes.push(change);
    else more = true;
  };
  const walk = (path: string, a: unknown, b: unknown, depth: number): void => {
    if (more || Object.is(a, b) || (path.length <= longestLeft && left.has(path))) return;
    const pairs = depth < deepest && path.length < longestPath ? pairsOf(a, b) : undefined;
    if (pairs !== undefined) for (const [step, [one, other]] of pairs) walk(path + step, one, other, depth + 1);
    else if (a === undefined) tell({ path, operation: "added", after: b });
    else if (b === undefined) tell({ path, operation: "removed", before: a });
    else if (!isObject(a) || !isObject(b) || jsonText(a) !== jsonText(b)) {
      tell({ path, operation: "changed", before: a, after: b });
    }
  };
  walk("", before, after, 0);
  return { changes, more };
}

type Pairs = Iterable<readonly [step: string, values: readonly [before: unknown, after: unknown]]>;

/** The parts of two values that are compared with one another; undefined of values that have no parts, or not the same. */
function pairsOf(a: unknown, b: unknown): Pairs | undefined {
  if (Array.isArray(a) && Array.isArray(b)) return pairsOfLists(a, b);
  if (isObject(a) && isObject(b)) return joined(fieldsOf(a), fieldsOf(b), stepOf);
  // Labels that come or go together are told one by one.
  if (a === undefined && isMapOfTexts(b)) return joined(new Map(), fieldsOf(b), stepOf);
  return b === undefined && isMapOfTexts(a) ? joined(fieldsOf(a), new Map(), stepOf) : undefined;
}

function isMapOfTexts(value: unknown): value is Readonly<Record<string, string>> {
  if (!isObject(value)) return false;
  const texts = Object.values(value);
  return texts.length > 0 && texts.every((text) => typeof text === "string");
}

type Parts = ReadonlyMap<string, unknown>;

function* joined(a: Parts, b: Parts, stepTo: (part: string) => string): Pairs {
  for (const [part, value] of b) yield [stepTo(part), [a.get(part), value]];
  for (const [part, value] of a) if (!b.has(part)) yield [stepTo(part), [value, undefined]];
}

const fieldsOf = (object: Readonly<Record<string, unknown>>): Parts => new Map(Object.entries(object));

/** A name that could be taken for more than one is written as JSON. */
function stepOf(name: string): string {
  return plainName.test(name) && name.length <= longestStep
    ? `.${name}`
    : `[${JSON.stringify(cut(name, longestStep))}]`;
}

const plainName = /^[A-Za-z0-9_-]+$/;

/** By what items of a list are told apart, where each has it and no two have the same. */
const namingFields = ["name", "type", "key", "uid", "ip", "containerPort", "port"] as const;

function pairsOfLists(a: readonly unknown[], b: readonly unknown[]): Pairs {
  for (const field of namingFields) {
    const [before, after] = [named(a, field), named(b, field)];
    if (before !== undefined && after !== undefined) return joined(before, after, (name) => `[${field}=${name}]`);
  }
  const numbered = (list: readonly unknown[]): Parts => new Map(list.map((value, i) => [String(i), value]));
  return joined(numbered(a), numbered(b), (place) => `[${place}]`);
}

function named(list: readonly unknown[], field: string): Parts | undefined {
  const items = new Map<string, unknown>();
  for (const item of list) {
    const name = isObject(item) ? item[field] : undefined;
    if (typeof name !== "string" && typeof name !== "number") return undefined;
    // One that would be cut is found by its place.
    if (typeof name === "string" && name.length > longestStep) return undefined;
    items.set(JSON.stringify(name), item);
  }
  return items.size === list.length ? items : undefined;
}
