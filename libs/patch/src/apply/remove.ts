import { setOwn } from "@orch/schema/decode.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { type FieldSet, isEmpty, isMember, leaves } from "../fields/field-set.js";
import { fieldElement } from "../fields/path-element.js";
import { knownElementOf } from "./list-items.js";
import type { ListForm, MapForm, Schema } from "./schema.js";

/** The object without the members of a set and all that is below them. What loses all it had becomes null. */
export function removeFields(schema: Schema, object: JsonObject, fields: FieldSet): JsonObject {
  if (isEmpty(fields)) return object;
  const rest = valueWithout(schema, object, fields);
  return isObject(rest) ? rest : {};
}

/** A map or list that has something to lose; atomic ones go as a whole. */
function valueWithout(schema: Schema, value: unknown, fields: FieldSet): unknown {
  if (Array.isArray(value)) return schema.list === undefined ? null : listWithout(schema.list, value, fields);
  if (isObject(value)) return schema.map === undefined ? null : mapWithout(schema.map, value, fields);
  return value;
}

function mapWithout(map: MapForm, object: JsonObject, fields: FieldSet): unknown {
  if (map.atomic) return null;
  const out: Record<string, unknown> = {};
  let any = false;
  for (const name of Object.keys(object)) {
    const node = fields[fieldElement(name)];
    if (node !== undefined && isMember(node)) continue;
    const schema = map.fields.get(name) ?? map.element;
    const value = object[name];
    any = true;
    setOwn(out, name, node === undefined || schema === undefined ? value : valueWithout(schema, value, node));
  }
  return any ? out : null;
}

function listWithout(list: ListForm, items: readonly unknown[], fields: FieldSet): unknown {
  if (list.atomic) return null;
  const out: unknown[] = [];
  for (const [i, item] of items.entries()) {
    const node = fields[knownElementOf(list, item, i)];
    if (node === undefined) out.push(item);
    else if (!isMember(node)) out.push(valueWithout(list.item, item, node));
  }
  return out.length === 0 ? null : out;
}

/**
 * What an object has at the leaves of a set: the configuration that, applied, owns them. An empty map that is owned
 * as such becomes null, as in the reference.
 */
export function extractFields(schema: Schema, object: JsonObject, fields: FieldSet): JsonObject {
  const found = extracted(schema, object, leaves(fields));
  return isObject(found) ? found : {};
}

function extracted(schema: Schema, value: unknown, fields: FieldSet): unknown {
  if (Array.isArray(value)) return schema.list === undefined ? null : itemsOf(schema.list, value, fields);
  if (isObject(value)) return schema.map === undefined ? null : entriesOf(schema.map, value, fields);
  return value;
}

function entriesOf(map: MapForm, object: JsonObject, fields: FieldSet): unknown {
  if (isEmptyMap(object)) return null;
  if (map.atomic) return object;
  const out: Record<string, unknown> = {};
  for (const name of Object.keys(object)) {
    const schema = map.fields.get(name) ?? map.element;
    const node = fields[fieldElement(name)];
    // A leaf takes what is there; of what has more below only what else the set names.
    if (schema !== undefined && node !== undefined) {
      setOwn(out, name, extracted(schema, object[name], isEmpty(node) ? fields : node));
    }
  }
  return isEmptyMap(out) ? null : out;
}

function itemsOf(list: ListForm, items: readonly unknown[], fields: FieldSet): unknown {
  if (items.length === 0) return null;
  if (list.atomic) return items;
  const out = items.flatMap((item, i) => {
    const node = fields[knownElementOf(list, item, i)];
    return node === undefined ? [] : [extracted(list.item, item, isEmpty(node) ? fields : node)];
  });
  return out.length === 0 ? null : out;
}

function isEmptyMap(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}
