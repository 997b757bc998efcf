import { equal } from "./equality.js";
import {
  CelError,
  Double,
  ListValue,
  MapValue,
  nativeTypeName,
  Opaque,
  typeNameOf,
  Uint,
  type Value,
} from "./value.js";

export class ArrayList extends ListValue {
  constructor(readonly items: readonly Value[]) {
    super();
  }
  get size(): number {
    return this.items.length;
  }
  at(index: number): Value {
    return this.items[index] ?? null;
  }
}

/** One list after the other, not copied: adding costs 1, whatever the sizes. */
export class ConcatList extends ListValue {
  readonly size: number;
  constructor(
    readonly first: ListValue,
    readonly second: ListValue,
  ) {
    super();
    this.size = first.size + second.size;
  }
  at(index: number): Value {
    let list: ListValue = this;
    while (list instanceof ConcatList) {
      const split = list.first.size;
      if (index < split) {
        list = list.first;
      } else {
        index -= split;
        list = list.second;
      }
    }
    return list.at(index);
  }
}

/** A list that its only holder adds to. */
export class GrowingList extends ArrayList {
  constructor(private readonly growing: Value[] = []) {
    super(growing);
  }
  add(list: ListValue): this {
    for (const value of elementsOf(list)) this.growing.push(value);
    return this;
  }
  sealed(): ListValue {
    return new ArrayList(this.growing);
  }
}

export function concat(a: ListValue, b: ListValue): ListValue {
  if (a instanceof GrowingList) return a.add(b);
  if (a.plus !== undefined) return a.plus(b);
  if (a.size === 0) return b;
  return b.size === 0 ? a : new ConcatList(a, b);
}

/** The elements in order, each looked up once, whatever lists the list was put together from. */
export function* elementsOf(list: ListValue): Iterable<Value> {
  const rest: ListValue[] = [list];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (next instanceof ConcatList) {
      rest.push(next.second, next.first);
      continue;
    }
    for (let i = 0; i < next.size; i++) yield next.at(i);
  }
}

/** A map of an expression. A key is found by its value, a number under any of the types of numbers. */
export class EntryMap extends MapValue {
  readonly entries: ReadonlyMap<Value, readonly [Value, Value]>;
  constructor(entries: ReadonlyMap<Value, readonly [Value, Value]>) {
    super();
    this.entries = entries;
  }
  get size(): number {
    return this.entries.size;
  }
  find(key: Value): Value | undefined {
    return this.entries.get(keyOf(key))?.[1];
  }
  *keys(): Iterable<Value> {
    for (const [key] of this.entries.values()) yield key;
  }
}

export function mapOf(pairs: Iterable<readonly [Value, Value]>): EntryMap {
  const entries = new Map<Value, readonly [Value, Value]>();
  for (const pair of pairs) entries.set(keyOf(pair[0]), pair);
  return new EntryMap(entries);
}

/** What a key is looked up by: two keys are one entry if this is one. */
export function keyOf(key: Value): Value {
  if (key instanceof Uint) return key.value <= 9007199254740991n ? Number(key.value) : key.value;
  if (!(key instanceof Double)) return key;
  const { value } = key;
  if (Number.isSafeInteger(value)) return value + 0;
  return Number.isInteger(value) && Math.abs(value) < 2 ** 64 ? BigInt(value) : `double ${value}`;
}

/** What the reference calls a value that its maps take for no key; undefined of any other. */
export function unhashable(key: Value): string | undefined {
  const isKey = !(key instanceof Uint8Array) && !(key instanceof Opaque && key.unhashable);
  return isKey ? undefined : nativeTypeName(key);
}

/** Whether a list holds a value; an error where an element could not be compared and no other is equal. */
export function contains(list: ListValue, value: Value): Value {
  let failed: Value | undefined;
  for (const element of elementsOf(list)) {
    const same = equal(value, element);
    if (same === true) return true;
    if (same !== false) failed ??= same;
  }
  return failed ?? false;
}

/** A map that its only holder adds to. */
export class GrowingMap extends EntryMap {
  constructor(private readonly growing: Map<Value, readonly [Value, Value]> = new Map()) {
    super(growing);
  }
  insert(key: Value, value: Value): void {
    this.growing.set(keyOf(key), [key, value]);
  }
  sealed(): MapValue {
    return new EntryMap(this.growing);
  }
}

/** The map with one entry more, in place where it is one that grows. */
export function inserted(map: MapValue, key: Value, value: Value): MapValue | CelError {
  if (map.find(key) !== undefined) return new CelError(`insert failed: key ${keyText(key)} already exists`);
  if (map instanceof GrowingMap) {
    map.insert(key, value);
    return map;
  }
  const copy = new GrowingMap();
  for (const known of map.keys()) copy.insert(known, map.find(known) ?? null);
  copy.insert(key, value);
  return copy.sealed();
}

/** A key as messages tell it. */
export function keyText(key: Value): string {
  if (key instanceof Uint) return String(key.value);
  if (key instanceof Double) return String(key.value);
  return typeof key === "object" ? typeNameOf(key) : String(key);
}
