import { Double, ListValue, MapValue, type Value } from "../values/value.js";

/** A decoded tree of JSON: what stored objects are made of. */
export type Json = unknown;

export const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A value without a schema: an integer is an int, any other number a double. Nothing is read before it is asked for. */
export function dynamicValue(data: Json): Value {
  switch (typeof data) {
    case "string":
    case "boolean":
    case "bigint":
      return data;
    case "number":
      return Number.isSafeInteger(data) ? data : new Double(data);
    default:
      if (Array.isArray(data)) return new DynamicList(data);
      return isObject(data) ? new DynamicMap(data) : null;
  }
}

export class DynamicList extends ListValue {
  constructor(readonly data: readonly Json[]) {
    super();
  }
  get size(): number {
    return this.data.length;
  }
  at(index: number): Value {
    return dynamicValue(this.data[index]);
  }
}

export class DynamicMap extends MapValue {
  constructor(readonly data: { readonly [key: string]: Json }) {
    super();
  }
  get size(): number {
    return Object.keys(this.data).length;
  }
  find(key: Value): Value | undefined {
    if (typeof key !== "string" || !Object.hasOwn(this.data, key)) return undefined;
    return dynamicValue(this.data[key]);
  }
  keys(): Iterable<Value> {
    return Object.keys(this.data);
  }
}
