import { setOwn } from "@orch/schema/decode.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import type { PathElement } from "../fields/path-element.js";
import { sameTree } from "../fields/same-tree.js";
import { knownElementOf, TypedError } from "./list-items.js";
import type { ListForm, MapForm, Schema } from "./schema.js";

/**
 * The live object with what a configuration says laid over it: nothing goes away, a leaf is the configuration's. The
 * live object itself where the configuration brings nothing new. Throws TypedError for items that can not be told
 * apart.
 */
export function merge(schema: Schema, live: JsonObject, configuration: JsonObject): JsonObject {
  const merged = mergeValues(schema, live, configuration);
  return isObject(merged) ? merged : live;
}

/** Undefined stands for absence; what is there on one side alone is taken as it is. */
function mergeValues(schema: Schema, left: unknown, right: unknown): unknown {
  if (right === undefined || left === right) return left;
  if (left === undefined) return right;
  // A null is taken as the first of the forms that there are.
  if (schema.map !== undefined && (isObject(right) || right === null)) return mergeMaps(schema.map, left, right);
  if (schema.list !== undefined && (Array.isArray(right) || right === null))
    return mergeLists(schema.list, left, right);
  return leafOf(left, right);
}

/** The value of a leaf; the live one where both say the same. */
function leafOf(left: unknown, right: unknown): unknown {
  return sameTree(left, right) ? left : right;
}

function isEmptyMap(value: unknown): boolean {
  if (isObject(value)) for (const _ in value) return false;
  return true;
}

function mergeMaps(map: MapForm, left: unknown, right: unknown): unknown {
  if (map.atomic || (isEmptyMap(left) && isEmptyMap(right))) return leafOf(left, right);
  if (!isObject(right)) return left;
  if (!isObject(left)) return right;
  let out: Record<string, unknown> | undefined;
  for (const name of Object.keys(right)) {
    const schema = map.fields.get(name) ?? map.element;
    const mine = Object.hasOwn(left, name) ? left[name] : undefined;
    const value = schema === undefined ? mine : mergeValues(schema, mine, right[name]);
    if (value === mine) continue;
    out ??= { ...left };
    setOwn(out, name, value);
  }
  return out ?? left;
}

function mergeLists(list: ListForm, left: unknown, right: unknown): unknown {
  const l: readonly unknown[] = Array.isArray(left) ? left : [];
  const r: readonly unknown[] = Array.isArray(right) ? right : [];
  if (list.atomic || (l.length === 0 && r.length === 0)) return leafOf(left, right);
  if (r.length === 0) return left;
  const out = mergeItems(list, l, r);
  return out.length === l.length && out.every((item, i) => item === l[i]) ? left : out;
}

interface Items {
  readonly elements: readonly PathElement[];
  /** What an element stands for; null for items that are there twice. */
  readonly byElement: ReadonlyMap<PathElement, unknown>;
}

function indexed(list: ListForm, items: readonly unknown[]): Items {
  const byElement = new Map<PathElement, unknown>();
  const elements = items.map((item, i) => {
    const element = knownElementOf(list, item, i);
    byElement.set(element, byElement.has(element) ? null : item);
    return element;
  });
  return { elements, byElement };
}

/**
 * Items of both lists in an order that keeps the configuration's; live ones stand where they stood among those that
 * both have:   live a b c d, configuration c a x   →   b c d a x
 */
function mergeItems(list: ListForm, left: readonly unknown[], right: readonly unknown[]): readonly unknown[] {
  const live = indexed(list, left);
  const wanted = indexed(list, right);
  if (wanted.byElement.size < right.length) throw new TypedError("duplicate entries in an applied list");
  const shared = wanted.elements.filter((element) => live.byElement.has(element));
  const done = new Set<PathElement>();
  const out: unknown[] = [];
  let next = 0;
  const take = (element: PathElement): void => {
    done.add(element);
    out.push(mergeValues(list.item, live.byElement.get(element), wanted.byElement.get(element)));
    if (shared[next] === element) next++;
  };
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    const mine = live.elements[l];
    const other = wanted.elements[r];
    if (mine !== undefined && other !== undefined) {
      if (mine === other) {
        take(mine);
        l++;
        r++;
        continue;
      }
      // Shared, but another one's turn: it comes with the configuration's.
      if (wanted.byElement.has(mine) && next < shared.length && shared[next] !== mine) {
        l++;
        continue;
      }
    }
    if (mine !== undefined && !wanted.byElement.has(mine)) {
      out.push(left[l]);
      l++;
      continue;
    }
    if (mine !== undefined && done.has(mine)) l++;
    if (other !== undefined) {
      take(other);
      r++;
    }
  }
  return out;
}
