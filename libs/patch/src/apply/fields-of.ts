import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { emptySet, type FieldSet, type FieldTree, leaf } from "../fields/field-set.js";
import { fieldElement, self } from "../fields/path-element.js";
import { knownElementOf } from "./list-items.js";
import type { ListForm, MapForm, Schema } from "./schema.js";

/**
 * Every field and item that an object mentions: leaves, items, entries of maps, and what is empty or null. A named
 * field with something below is not a member itself. Throws TypedError for items that can not be told apart.
 */
export function fieldsOf(schema: Schema, object: JsonObject): FieldSet {
  return nodeOf(schema, object, false) ?? emptySet;
}

/** The node of a value; undefined for one that holds no member. `member`: the value's path is one in any case. */
function nodeOf(schema: Schema, value: unknown, member: boolean): FieldTree | undefined {
  if (Array.isArray(value)) return schema.list === undefined ? own(member) : listNode(schema.list, value, member);
  if (isObject(value)) return schema.map === undefined ? own(member) : mapNode(schema.map, value, member);
  if (value !== null && value !== undefined) return leaf;
  // Null is taken as the first of the forms that there are.
  if (schema.map !== undefined) return own(member || schema.map.atomic);
  return own(member || schema.scalar !== undefined || schema.list?.atomic === true);
}

function own(member: boolean): FieldTree | undefined {
  return member ? leaf : undefined;
}

function mapNode(map: MapForm, object: JsonObject, member: boolean): FieldTree | undefined {
  if (map.atomic) return leaf;
  let node: FieldTree | undefined;
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value === undefined) continue;
    const field = map.fields.get(name);
    const schema = field ?? map.element;
    if (schema === undefined) continue;
    const below = nodeOf(schema, value, field === undefined || value === null || isEmptyMap(value));
    if (below === undefined) continue;
    node ??= member ? { [self]: leaf } : {};
    node[fieldElement(name)] = below;
  }
  return node ?? own(member);
}

function isEmptyMap(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const _ in value) return false;
  return true;
}

function listNode(list: ListForm, items: readonly unknown[], member: boolean): FieldTree | undefined {
  if (list.atomic) return leaf;
  let node: FieldTree | undefined;
  for (const [i, item] of items.entries()) {
    const element = knownElementOf(list, item, i);
    node ??= member ? { [self]: leaf } : {};
    // An item that is there twice is owned as one piece.
    node[element] = node[element] === undefined ? (nodeOf(list.item, item, true) ?? leaf) : leaf;
  }
  return node ?? own(member);
}
