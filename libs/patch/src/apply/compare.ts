import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { type FieldFilter, filtered } from "../fields/field-filter.js";
import { emptySet, type FieldSet, type FieldTree, isEmpty, leaf } from "../fields/field-set.js";
import { fieldElement, type PathElement, self } from "../fields/path-element.js";
import { sameTree } from "../fields/same-tree.js";
import { knownElementOf } from "./list-items.js";
import type { ListForm, MapForm, Schema } from "./schema.js";

/** What makes one object of another; no field is in two of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export function isSame({ added, modified, removed }: Comparison): boolean {
  return isEmpty(added) && isEmpty(modified) && isEmpty(removed);
}

/** The comparison without what does not count. */
export function withoutIgnored({ added, modified, removed }: Comparison, ignored: FieldFilter): Comparison {
  return {
    added: filtered(added, ignored),
    modified: filtered(modified, ignored),
    removed: filtered(removed, ignored),
  };
}

/** The nodes that changes put below one container; absent for none. */
interface Changes {
  added?: FieldTree;
  modified?: FieldTree;
  removed?: FieldTree;
}

/**
 * The fields in which two objects of a type differ. Subtrees that they share are passed over, so two states of one
 * object cost what they differ in. Throws TypedError for items that can not be told apart.
 */
export function compare(schema: Schema, left: JsonObject, right: JsonObject): Comparison {
  const changes: Changes = {};
  if (left !== right && schema.map !== undefined) compareEntries(schema.map, left, right, changes);
  return {
    added: changes.added ?? emptySet,
    modified: changes.modified ?? emptySet,
    removed: changes.removed ?? emptySet,
  };
}

function put(changes: Changes, kind: keyof Changes, element: PathElement, node: FieldTree): void {
  let tree = changes[kind];
  if (tree === undefined) {
    tree = {};
    changes[kind] = tree;
  }
  tree[element] = node;
}

type Form = { readonly map: MapForm } | { readonly list: ListForm } | "scalar";

/** The form of a value; what is absent, null or of none of the forms is taken as the first of those there are. */
function formOf({ map, list, scalar }: Schema, value: unknown): Form {
  if (Array.isArray(value)) {
    if (list !== undefined) return { list };
  } else if (isObject(value)) {
    if (map !== undefined) return { map };
  } else if (value !== null && value !== undefined && scalar !== undefined) return "scalar";
  if (map !== undefined) return { map };
  return list === undefined || scalar !== undefined ? "scalar" : { list };
}

/** Undefined stands for absence, of at most one side. */
function compareValues(schema: Schema, left: unknown, right: unknown, element: PathElement, out: Changes): void {
  if (left === right) return;
  const { map, list, scalar } = schema;
  if (map !== undefined && list === undefined) compareMaps(map, left, right, element, out);
  else if (list !== undefined && map === undefined) compareLists(list, left, right, element, out);
  else if (map === undefined && scalar !== undefined) compareLeaves(left, right, element, out);
  else compareForms(schema, left, right, element, out);
}

/**
 * A value of several forms: each side is compared in its own, and both at once where it is the same. Schemas of schemas
 * have a value of several forms below each: two walks of each would be as many as two to the power of their depth.
 */
function compareForms(schema: Schema, left: unknown, right: unknown, element: PathElement, out: Changes): void {
  const before = left === undefined ? undefined : formOf(schema, left);
  const after = right === undefined ? undefined : formOf(schema, right);
  if (before !== undefined) compareAs(before, left, right, element, out);
  if (after !== undefined && (before === undefined || !sameForm(before, after))) {
    compareAs(after, left, right, element, out);
  }
}

function sameForm(a: Form, b: Form): boolean {
  if (a === "scalar" || b === "scalar") return a === b;
  return "map" in a === "map" in b;
}

function compareAs(form: Form, left: unknown, right: unknown, element: PathElement, out: Changes): void {
  if (form === "scalar") compareLeaves(left, right, element, out);
  else if ("map" in form) compareMaps(form.map, left, right, element, out);
  else compareLists(form.list, left, right, element, out);
}

function compareLeaves(left: unknown, right: unknown, element: PathElement, out: Changes): void {
  if (left === undefined) put(out, "added", element, leaf);
  else if (right === undefined) put(out, "removed", element, leaf);
  else if (!sameTree(left, right)) put(out, "modified", element, leaf);
}

function isEmptyMap(map: JsonObject | undefined): boolean {
  if (map !== undefined) for (const _ in map) return false;
  return true;
}

function compareMaps(map: MapForm, left: unknown, right: unknown, element: PathElement, out: Changes): void {
  const l = isObject(left) ? left : undefined;
  const r = isObject(right) ? right : undefined;
  if (map.atomic || (isEmptyMap(l) && isEmptyMap(r))) compareLeaves(left, right, element, out);
  else {
    const changes = changesOf(left, right);
    compareEntries(map, l ?? {}, r ?? {}, changes);
    hang(changes, element, out);
  }
}

/** The changes of a container: one that is there on one side alone changes itself. */
function changesOf(left: unknown, right: unknown): Changes {
  if (left === undefined) return { added: { [self]: leaf } };
  return right === undefined ? { removed: { [self]: leaf } } : {};
}

function hang(changes: Changes, element: PathElement, out: Changes): void {
  for (const kind of ["added", "modified", "removed"] as const) {
    const tree = changes[kind];
    if (tree === undefined) continue;
    const there = out[kind]?.[element];
    // Two forms of one value meet here, and add up.
    put(out, kind, element, there === undefined ? pruned(tree) : pruned({ ...there, ...tree }));
  }
}

/** A node with nothing but itself is a leaf. */
function pruned(tree: FieldTree): FieldTree {
  for (const element in tree) if (element !== self) return tree;
  return leaf;
}

function compareEntries(map: MapForm, left: JsonObject, right: JsonObject, out: Changes): void {
  for (const name of Object.keys(left)) {
    const value = left[name];
    const other = Object.hasOwn(right, name) ? right[name] : undefined;
    if (value === other) continue;
    const schema = map.fields.get(name) ?? map.element;
    if (schema !== undefined) compareValues(schema, value, other, fieldElement(name), out);
  }
  for (const name of Object.keys(right)) {
    if (Object.hasOwn(left, name) && left[name] !== undefined) continue;
    const value = right[name];
    const schema = map.fields.get(name) ?? map.element;
    if (schema !== undefined) compareValues(schema, undefined, value, fieldElement(name), out);
  }
}

function compareLists(list: ListForm, left: unknown, right: unknown, element: PathElement, out: Changes): void {
  const l: readonly unknown[] = Array.isArray(left) ? left : [];
  const r: readonly unknown[] = Array.isArray(right) ? right : [];
  if (list.atomic || (l.length === 0 && r.length === 0)) compareLeaves(left, right, element, out);
  else if (!sameTree(left, right)) {
    const changes = changesOf(left, right);
    compareItems(list, l, r, changes);
    hang(changes, element, out);
  }
}

function compareItems(list: ListForm, left: readonly unknown[], right: readonly unknown[], out: Changes): void {
  const lefts = byElement(list, left);
  const rights = byElement(list, right);
  for (const [element, l] of lefts) compareTwins(list, l, rights.get(element) ?? [], element, out);
  for (const [element, r] of rights) if (!lefts.has(element)) compareTwins(list, [], r, element, out);
}

function byElement(list: ListForm, items: readonly unknown[]): Map<PathElement, unknown[]> {
  const map = new Map<PathElement, unknown[]>();
  for (let i = 0; i < items.length; i++) {
    const element = knownElementOf(list, items[i], i);
    const same = map.get(element);
    if (same === undefined) map.set(element, [items[i]]);
    else same.push(items[i]);
  }
  return map;
}

/** The items of one element: one or none of each side, unless a list holds an item twice. */
function compareTwins(
  list: ListForm,
  left: readonly unknown[],
  right: readonly unknown[],
  element: PathElement,
  out: Changes,
): void {
  if (left.length <= 1 && right.length <= 1) compareValues(list.item, left[0], right[0], element, out);
  else if (left.length > 1 && right.length > 1) {
    if (!sameTree(left, right)) put(out, "modified", element, leaf);
  } else if (left.length > 1) {
    // No longer twice: what is left is new, the pair is gone.
    if (right.length > 0) compareValues(list.item, undefined, right[0], element, out);
    put(out, "removed", element, leaf);
  } else {
    if (left.length > 0) compareValues(list.item, left[0], undefined, element, out);
    put(out, "added", element, leaf);
  }
}
