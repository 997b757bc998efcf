import { type Type, t } from "../check/types.js";
import { add, exactly, multiply, scale } from "../cost/sizes.js";
import { elementsOf } from "../values/collections.js";
import { compare } from "../values/compare.js";
import { equal } from "../values/equality.js";
import { CelError, Double, Duration, ListValue, MapValue, noSuchOverload, Uint, type Value } from "../values/value.js";
import {
  type Cost,
  type Estimate,
  type Library,
  type LibraryFunction,
  member,
  type Run,
  stringFactor,
} from "./library.js";
import { standard } from "./standard.js";

const summable = [
  ["int", t.int],
  ["uint", t.uint],
  ["double", t.double],
  ["duration", t.duration],
] as const;

const comparable = [
  ...summable,
  ["bool", t.bool],
  ["timestamp", t.timestamp],
  ["string", t.string],
  ["bytes", t.bytes],
] as const;

/** What it costs to walk through a value: 1 of a scalar, a tenth of the bytes of text, the sum of what is inside. */
function traversalOf(value: Value): number {
  if (typeof value === "string") return Math.floor(Buffer.byteLength(value) * stringFactor);
  if (value instanceof Uint8Array) return Math.floor(value.length * stringFactor);
  let cost = 0;
  if (value instanceof ListValue) {
    for (const element of elementsOf(value)) cost += traversalOf(element);
    return cost;
  }
  if (!(value instanceof MapValue)) return 1;
  for (const key of value.keys()) cost += traversalOf(key) + traversalOf(value.find(key) ?? null);
  return cost;
}

export const traversed: Cost = ([x = null]) => traversalOf(x);

export const traversedEstimate: Estimate = ({ target, sizeOf, elementOf }) => {
  if (target === undefined) return undefined;
  const element = elementOf(target);
  if (element === undefined) return { cost: scale(sizeOf(target), stringFactor) };
  const isText = element.type.kind === "string" || element.type.kind === "bytes";
  const each = isText ? add(exactly(1), scale(sizeOf(element), stringFactor)) : exactly(1);
  return { cost: multiply(sizeOf(target), each) };
};

const zeros: Readonly<Record<string, Value>> = {
  int: 0,
  uint: new Uint(0n),
  double: new Double(0),
  duration: new Duration(0n),
};

const addition = standard.functions.find((fn) => fn.name === "_+_")?.run;

const sum =
  (zero: Value): Run =>
  ([list = null]) => {
    if (!(list instanceof ListValue)) return noSuchOverload;
    let total = zero;
    for (const element of elementsOf(list)) {
      total = addition?.([total, element]) ?? noSuchOverload;
      if (total instanceof CelError) return total.message.startsWith("no such overload") ? noSuchOverload : total;
    }
    return total;
  };

const isSorted: Run = ([list = null]) => {
  if (!(list instanceof ListValue)) return noSuchOverload;
  let before: Value | undefined;
  for (const element of elementsOf(list)) {
    if (!isComparable(element)) return noSuchOverload;
    if (before !== undefined && compare(before, element) === 1) return false;
    before = element;
  }
  return true;
};

function isComparable(value: Value): boolean {
  return compare(value, value) !== noSuchOverload;
}

/** The element that comes before (`min`) or after (`max`) all others. */
const extreme =
  (name: string, sign: number): Run =>
  ([list = null]) => {
    if (!(list instanceof ListValue)) return noSuchOverload;
    let found: Value | undefined;
    for (const element of elementsOf(list)) {
      if (!isComparable(element)) return noSuchOverload;
      if (found === undefined || compare(found, element) === sign) found = element;
    }
    return found ?? new CelError(`${name} called on empty list`);
  };

const firstIndex: Run = ([list = null, item = null]) => {
  if (!(list instanceof ListValue)) return noSuchOverload;
  let index = 0;
  for (const element of elementsOf(list)) {
    if (equal(element, item) === true) return index;
    index += 1;
  }
  return -1;
};

const lastIndex: Run = ([list = null, item = null]) => {
  if (!(list instanceof ListValue)) return noSuchOverload;
  let index = 0;
  let found = -1;
  for (const element of elementsOf(list)) {
    if (equal(element, item) === true) found = index;
    index += 1;
  }
  return found;
};

const a = t.param("A");

const perType = (
  name: string,
  types: readonly (readonly [string, Type])[],
  parts: {
    readonly id: (type: string) => string;
    readonly result: (type: Type) => Type;
    readonly run: (type: string) => Run;
  },
): LibraryFunction => ({
  name,
  cost: traversed,
  estimate: traversedEstimate,
  overloads: types.map(([word, type]) => ({
    ...member(parts.id(word), [t.list(type)], parts.result(type)),
    run: parts.run(word),
  })),
});

export const lists: Library = {
  name: "lists",
  since: 23,
  functions: [
    perType("isSorted", comparable, {
      id: (type) => `list_${type}_is_sorted_bool`,
      result: () => t.bool,
      run: () => isSorted,
    }),
    perType("sum", summable, {
      id: (type) => `list_${type}_sum_${type}`,
      result: (type) => type,
      run: (type) => sum(zeros[type] ?? 0),
    }),
    perType("max", comparable, {
      id: (type) => `list_${type}_max_${type}`,
      result: (type) => type,
      run: () => extreme("max", -1),
    }),
    perType("min", comparable, {
      id: (type) => `list_${type}_min_${type}`,
      result: (type) => type,
      run: () => extreme("min", 1),
    }),
    {
      name: "indexOf",
      cost: traversed,
      estimate: traversedEstimate,
      overloads: [{ ...member("list_a_index_of_int", [t.list(a), a], t.int), run: firstIndex }],
    },
    {
      name: "lastIndexOf",
      cost: traversed,
      estimate: traversedEstimate,
      overloads: [{ ...member("list_a_last_index_of_int", [t.list(a), a], t.int), run: lastIndex }],
    },
  ],
};
