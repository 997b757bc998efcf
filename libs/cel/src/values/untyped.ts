import { ListValue, MapValue, Opaque, Optional, TypeValue, type Value } from "./value.js";

/**
 * What is left of a value that the reference took out of an optional in order to read a path: what a schema said of it
 * is lost, and a type is its name.
 */
export function untyped(value: Value): Value {
  if (value instanceof Optional) return value.value === undefined ? null : untyped(value.value);
  if (value instanceof TypeValue) return value.name;
  const has = value instanceof ListValue || value instanceof MapValue || value instanceof Opaque;
  return has ? (value.untyped?.() ?? value) : value;
}
