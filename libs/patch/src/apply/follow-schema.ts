import { type FieldSet, type FieldTree, isEmpty, leaf, withSelf } from "../fields/field-set.js";
import { type PathElement, self } from "../fields/path-element.js";
import type { Schema } from "./schema.js";

const nothing: Schema = { scalar: undefined, list: undefined, map: undefined };

/** What stands at an element below a map or list; undefined for what the schema does not declare. */
function schemaAt(schema: Schema, element: PathElement): Schema | undefined {
  if (schema.map === undefined) return schema.list?.item;
  const field = element.startsWith("f:") ? schema.map.fields.get(element.slice(2)) : undefined;
  return field ?? schema.map.element;
}

/**
 * The set with every named field of a struct that has members below as a member, too: what holds owned fields goes
 * when they go, unless it is an entry of a map.
 */
export function withNamedFields(schema: Schema, set: FieldSet): FieldSet {
  let out: FieldTree | undefined;
  for (const element in set) {
    const node = set[element];
    if (element === self || node === undefined || isEmpty(node)) continue;
    const named = element.startsWith("f:") && schema.map?.fields.has(element.slice(2)) === true;
    const below = withNamedFields(schemaBelow(schema, element), node);
    const after = named ? withSelf(below) : below;
    if (after === node) continue;
    out ??= { ...set };
    out[element] = after;
  }
  return out ?? set;
}

/** As the reference looks it up: fields in maps, keyed items in lists. */
function schemaBelow(schema: Schema, element: PathElement): Schema {
  if (element.startsWith("f:")) return schema.map?.fields.get(element.slice(2)) ?? schema.map?.element ?? nothing;
  return element.startsWith("k:") ? (schema.list?.item ?? nothing) : nothing;
}

/**
 * The set as it is to be read now that a type may have changed since it was written (rules: Server-side apply, 8): who
 * owned a part of what is atomic now owns the whole. What became granular stays as it is.
 */
export function followTopology(schema: Schema, set: FieldSet): FieldSet {
  if (schema.map?.deduced === true) return set;
  let out: FieldTree | undefined;
  for (const element in set) {
    const node = set[element];
    if (element === self || node === undefined || isEmpty(node)) continue;
    const below = schemaAt(schema, element);
    if (below === undefined) continue;
    const followed = isPiece(below) ? leaf : followTopology(below, node);
    if (followed === node) continue;
    out ??= { ...set };
    out[element] = followed;
  }
  return out ?? set;
}

/** Whether a type is atomic, taken as the first of the forms that there are. */
function isPiece({ map, scalar, list }: Schema): boolean {
  if (map !== undefined) return map.atomic && !map.deduced;
  return scalar === undefined && list?.atomic === true;
}
