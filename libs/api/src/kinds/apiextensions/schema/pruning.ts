import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import {
  embeddedResource,
  itemsOf,
  type JsonSchema,
  metaNames,
  preserveUnknownFields,
  propertyOf,
  valuesOf,
} from "./json-schema.js";

/**
 * The value without the fields that its structural schema does not know; itself where it has none. `isObjectRoot`: it
 * is a whole object, whose `apiVersion`, `kind` and `metadata` are always known.
 */
export function prune(value: unknown, schema: JsonSchema, isObjectRoot: boolean): unknown {
  return pruned(value, schema, isObjectRoot || schema[embeddedResource] === true);
}

function pruned(value: unknown, schema: JsonSchema, isWhole: boolean): unknown {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    // A list without a schema of its items was let through by the schema's own check alone.
    return items === undefined ? value : list(value, (item) => prune(item, items, false));
  }
  return isObject(value) ? fields(value, schema, isWhole) : value;
}

function fields(object: JsonObject, schema: JsonSchema, isWhole: boolean): JsonObject {
  const preserved = schema[preserveUnknownFields] === true;
  const values = valuesOf(schema);
  const any = preserved || schema.additionalProperties === true;
  const kept = Object.entries(object).flatMap(([name, value]): [string, unknown][] => {
    if (isWhole && metaNames.includes(name)) return [[name, value]];
    const own = propertyOf(schema, name) ?? values;
    if (own !== undefined) return [[name, prune(value, own, false)]];
    return any ? [[name, value]] : [];
  });
  const same = kept.length === Object.keys(object).length && kept.every(([name, value]) => object[name] === value);
  return same ? object : Object.fromEntries(kept);
}

function list(items: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  const changed = items.map(change);
  return changed.every((item, i) => item === items[i]) ? items : changed;
}
