import { ArrayList, ConcatList, elementsOf, keyOf } from "../values/collections.js";
import { equal, equalElements } from "../values/equality.js";
import { CelError, Double, ListValue, MapValue, noSuchOverload, Opaque, type Value } from "../values/value.js";
import { dynamicValue, isObject, type Json } from "./dynamic.js";
import { escapeName, unescapeName } from "./escape.js";
import { textValue } from "./texts.js";
import { type SchemaView, withObjectMeta } from "./view.js";

/** What the schema keeps without a type: it can be compared, and nothing else. */
class Preserved extends Opaque {
  readonly typeName = "unknown";
  constructor(readonly data: Json) {
    super();
  }
  equals(other: Value): boolean {
    return other instanceof Preserved && sameJson(this.data, other.data);
  }
}

/** Deep equality of decoded trees, whatever the order of keys. */
function sameJson(a: Json, b: Json): boolean {
  return equal(dynamicValue(a), dynamicValue(b)) === true;
}

const invalid = (message: string): CelError => new CelError(`invalid data, ${message}`);

/** The reference's name of what a value is where its schema says otherwise. */
function nameOf(data: Json): string {
  if (typeof data === "string") return "string";
  if (typeof data === "boolean") return "bool";
  if (typeof data === "number") return Number.isInteger(data) ? "int64" : "float64";
  if (typeof data === "bigint") return "int64";
  return Array.isArray(data) ? "[]interface {}" : "map[string]interface {}";
}

/** The value of `data` as its schema types it. What does not fit is an error once it is read. */
export function schemaValue(data: Json, schema: SchemaView): Value {
  if (data === null || data === undefined) {
    return schema.nullable ? null : invalid("got null for schema with nullable=false");
  }
  if (schema.intOrString) {
    if (typeof data === "string" || isInteger(data)) return data;
    return invalid("expected XIntOrString value to be either a string or integer");
  }
  switch (schema.type) {
    case "object":
      if (!isObject(data)) return invalid("expected a map for the provided schema with type=object");
      return new ObjectValue(data, schema.embedded ? withObjectMeta(schema) : schema);
    case "array":
      return listValue(data, schema);
    case "string":
      return typeof data === "string"
        ? textValue(data, schema.format)
        : invalid(`expected string, got ${nameOf(data)}`);
    case "number":
      if (typeof data === "number" || typeof data === "bigint") return new Double(Number(data));
      return invalid(`expected float, got ${nameOf(data)}`);
    case "integer":
      return isInteger(data) ? data : invalid(`expected int, got ${nameOf(data)}`);
    case "boolean":
      return typeof data === "boolean" ? data : invalid(`expected bool, got ${nameOf(data)}`);
    default:
      return schema.preserveUnknown ? new Preserved(data) : invalid("expected a type");
  }
}

function isInteger(data: Json): data is number | bigint {
  return Number.isSafeInteger(data) || typeof data === "bigint";
}

function listValue(data: Json, schema: SchemaView): Value {
  if (!Array.isArray(data)) return invalid("expected an array for the provided schema with type=array");
  const { items } = schema;
  if (items === undefined) return new CelError("invalid array type, expected Items with a non-empty Schema");
  if (schema.listType === "set") return new SetList(data, items);
  if (schema.listType !== "map") return new SchemaList(data, items);
  return new MapList(data, items, schema.listKeys);
}

/** An object with properties, or a map. */
export class ObjectValue extends MapValue {
  constructor(
    readonly data: { readonly [key: string]: Json },
    readonly schema: SchemaView,
  ) {
    super();
  }
  get size(): number {
    return Object.keys(this.data).length;
  }
  private part(property: string): SchemaView | undefined {
    const { properties, values } = this.schema;
    return properties === undefined ? values : properties.get(property);
  }
  find(key: Value): Value | undefined {
    if (typeof key !== "string") return noSuchOverload;
    const isStruct = this.schema.properties !== undefined;
    const property = isStruct ? unescapeName(key) : key;
    if (property === undefined || !Object.hasOwn(this.data, property)) return undefined;
    const value = this.data[property];
    if (isStruct && (value === null || value === undefined)) return undefined;
    const part = this.part(property);
    return part && schemaValue(value, part);
  }
  keys(): Iterable<Value> {
    const shown = Object.keys(this.data).filter((key) => this.part(key) !== undefined);
    return this.schema.properties === undefined ? shown : shown.map((key) => escapeName(key) ?? key);
  }
  override untyped(): Value {
    return dynamicValue(this.data);
  }
  /** Also by what no property shows, as long as the other side is an object too. */
  override equals(other: MapValue): boolean | CelError {
    if (this.size !== other.size) return false;
    for (const key of Object.keys(this.data)) {
      const same = this.sameEntry(key, other);
      if (same !== true) return same;
    }
    return true;
  }
  private sameEntry(key: string, other: MapValue): boolean | CelError {
    const part = this.part(key);
    if (part !== undefined) {
      const found = other.find(key);
      if (found === undefined) return false;
      return equal(schemaValue(this.data[key], part), found);
    }
    if (!(other instanceof ObjectValue)) return noSuchOverload;
    return !Object.hasOwn(other.data, key) || sameJson(this.data[key], other.data[key]);
  }
}

/** A list of a schema; what is added to it is read by its schema too. */
export class SchemaList extends ListValue {
  constructor(
    readonly data: readonly Json[],
    readonly items: SchemaView,
  ) {
    super();
  }
  get size(): number {
    return this.data.length;
  }
  at(index: number): Value {
    return schemaValue(this.data[index], this.items);
  }
  override untyped(): Value {
    return dynamicValue(this.data);
  }
  override equals(other: ListValue): boolean | CelError {
    return equalElements(this, other);
  }
  override plus(other: ListValue): ListValue {
    return new ConcatList(this, other);
  }
}

/** Equal to a list of the same entries in any order; a sum is a union. */
export class SetList extends SchemaList {
  override equals(other: ListValue): boolean | CelError {
    if (this.size !== other.size) return false;
    const own = new Set<Value>();
    for (const element of elementsOf(this)) own.add(keyOf(element));
    for (const element of elementsOf(other)) if (!own.has(keyOf(element))) return false;
    return true;
  }
  override plus(other: ListValue): ListValue {
    return new SetSum([...elementsOf(this)], other);
  }
}

/** A sum of sets, itself a set for what is added or compared next. */
class SetSum extends ArrayList {
  constructor(first: readonly Value[], second: ListValue) {
    const known = new Set(first.map(keyOf));
    const items = [...first];
    for (const element of elementsOf(second)) {
      const key = keyOf(element);
      if (known.has(key)) continue;
      known.add(key);
      items.push(element);
    }
    super(items);
  }
  override equals(other: ListValue): boolean | CelError {
    if (this.size !== other.size) return false;
    const own = new Set(this.items.map(keyOf));
    for (const element of elementsOf(other)) if (!own.has(keyOf(element))) return false;
    return true;
  }
  override plus(other: ListValue): ListValue {
    return new SetSum(this.items, other);
  }
}

/** The fields by which an entry of a list of entries is known. */
function entryKey(element: Value, keys: readonly string[]): string {
  if (!(element instanceof MapValue)) return "";
  return JSON.stringify(
    keys.map((key) => {
      const value = element.find(escapeName(key) ?? key);
      if (value === undefined || value instanceof CelError) return null;
      return typeof value === "string" ? `s${value}` : `v${String(value)}`;
    }),
  );
}

/** Equal by keys in any order; what is added overwrites its entry in place. */
export class MapList extends SchemaList {
  constructor(
    data: readonly Json[],
    items: SchemaView,
    readonly listKeys: readonly string[],
  ) {
    super(data, items);
  }
  override equals(other: ListValue): boolean | CelError {
    return equalByKeys([...elementsOf(this)], other, this.listKeys);
  }
  override plus(other: ListValue): ListValue {
    return new EntrySum([...elementsOf(this)], other, this.listKeys);
  }
}

function equalByKeys(own: readonly Value[], other: ListValue, keys: readonly string[]): boolean | CelError {
  if (own.length !== other.size) return false;
  const byKey = new Map(own.map((element) => [entryKey(element, keys), element]));
  for (const element of elementsOf(other)) {
    const known = byKey.get(entryKey(element, keys));
    if (known === undefined) return false;
    const same = equal(known, element);
    if (same !== true) return same;
  }
  return true;
}

class EntrySum extends ArrayList {
  private readonly listKeys: readonly string[];
  constructor(first: readonly Value[], second: ListValue, keys: readonly string[]) {
    const items = [...first];
    const places = new Map(items.map((element, i) => [entryKey(element, keys), i]));
    for (const element of elementsOf(second)) {
      const key = entryKey(element, keys);
      const place = places.get(key);
      if (place === undefined) places.set(key, items.push(element) - 1);
      else items[place] = element;
    }
    super(items);
    this.listKeys = keys;
  }
  override equals(other: ListValue): boolean | CelError {
    return equalByKeys(this.items, other, this.listKeys);
  }
  override plus(other: ListValue): ListValue {
    return new EntrySum(this.items, other, this.listKeys);
  }
}
