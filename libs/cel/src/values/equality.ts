import { compareNumbers, isNumeric } from "./numbers.js";
import {
  type CelError,
  Duration,
  ListValue,
  MapValue,
  noSuchOverload,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  type Value,
} from "./value.js";

/**
 * Equality of any two values: numbers across their types, everything else within its type. Some pairs have none and
 * give an error. Null equals null only.
 */
export function equal(a: Value, b: Value): boolean | CelError {
  if (typeof a === "string" || typeof a === "boolean" || a === null) return a === b;
  if (isNumeric(a)) return isNumeric(b) && compareNumbers(a, b) === 0;
  if (b === null) return false;
  if (a instanceof ListValue || a instanceof MapValue) return equalContainers(a, b);
  if (a instanceof Opaque) return a.equals(b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Optional) return equalOptionals(a, b);
  return a;
}

/** A comparison that is under way: those inside of it are parts of it. */
const underWay = { depth: 0, pairs: 0, equal: new Map<Value, Set<Value>>() };

/** Pairs of containers from which on those that are equal are remembered. */
const manyPairs = 10_000;

/**
 * Lists may share elements that share elements again: to compare each as often as it stands there would take forever. Pairs
 * that were found equal are not looked at again.
 */
function equalContainers(a: ListValue | MapValue, b: Value): boolean | CelError {
  const { equal: known } = underWay;
  if (known.get(a)?.has(b) === true) return true;
  underWay.depth += 1;
  underWay.pairs += 1;
  try {
    const same = a instanceof ListValue ? equalLists(a, b) : equalMaps(a, b);
    if (same === true && underWay.pairs > manyPairs) known.set(a, (known.get(a) ?? new Set()).add(b));
    return same;
  } finally {
    underWay.depth -= 1;
    if (underWay.depth === 0) {
      underWay.pairs = 0;
      if (known.size > 0) known.clear();
    }
  }
}

function equalOptionals(a: Optional, b: Value): boolean | CelError {
  if (!(b instanceof Optional)) return false;
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equal(a.value, b.value);
}

function equalLists(a: ListValue, b: Value): boolean | CelError {
  if (!(b instanceof ListValue)) return a.equals === undefined ? false : noSuchOverload;
  return a.equals === undefined ? equalElements(a, b) : a.equals(b);
}

/** Element by element, in order; the first pair that is not equal decides. */
export function equalElements(a: ListValue, b: ListValue): boolean | CelError {
  if (a === b && a.size < 2) return true;
  if (a.size !== b.size) return false;
  for (let i = 0; i < a.size; i++) {
    const same = equal(a.at(i), b.at(i));
    if (same !== true) return same;
  }
  return true;
}

function equalMaps(a: MapValue, b: Value): boolean | CelError {
  if (!(b instanceof MapValue)) return a.equals === undefined ? false : noSuchOverload;
  if (a.equals !== undefined) return a.equals(b);
  return equalEntries(a, b);
}

function equalEntries(a: MapValue, b: MapValue): boolean | CelError {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const other = b.find(key);
    if (other === undefined) return false;
    const same = equal(a.find(key) ?? null, other);
    if (same !== true) return same;
  }
  return true;
}
