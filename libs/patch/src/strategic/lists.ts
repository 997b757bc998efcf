import { isObject, type JsonObject, type Type } from "@orch/schema/descriptor.js";
import { badRequest, patchRejected } from "@orch/status/api-error.js";
import type { PatchWork } from "../work.js";
import { badElementOrder, patchDirective } from "./directives.js";
import { goText, goType } from "./go-text.js";
import { missingMergeKey, object, unknownDirective, wrongType } from "./problems.js";
import { goKind, type Rule } from "./rules.js";

/** An object of the document, what a patch says of it, and what the patch may still cost. */
export interface Objects {
  readonly original: JsonObject;
  readonly patch: JsonObject;
  readonly work: PatchWork;
}

export type MergeObjects = (type: Type, objects: Objects) => JsonObject;

export interface Lists {
  readonly original: readonly unknown[];
  readonly patch: readonly unknown[];
  readonly work: PatchWork;
}

export interface MergedList {
  readonly items: readonly unknown[];
  /** The order that the server's items keep among each other. */
  readonly server: readonly unknown[];
}

/** A list in a patch merged into the one of the document by the items' merge key, or as sets of scalars. */
export function mergeLists(rule: Rule, { original, patch, work }: Lists, mergeObjects: MergeObjects): MergedList {
  if (original.length === 0 && patch.length === 0) return { items: original, server: original };
  if (itemsAre(original, patch) === "objects") {
    const { type, mergeKey } = rule;
    if (mergeKey === undefined) throw badRequest(`cannot merge lists without merge key for ${goKind(type)}`);
    const keyed = { original: original.filter(isObject), patch: patch.filter(isObject), mergeKey, work };
    return mergeKeyed(keyed, (a, b) => mergeObjects(type, { original: a, patch: b, work }));
  }
  if (rule.mergeKey !== undefined) throw wrongType(object, original[0] ?? patch[0]);
  const items = arranged([...new Set([...original, ...patch])], { wanted: patch, server: original }, scalar);
  return { items, server: original };
}

/** A list of scalars without those of another; lists of objects are merged, as the reference does. */
export function withoutItems(rule: Rule, lists: Lists, mergeObjects: MergeObjects): readonly unknown[] {
  const { original, patch } = lists;
  if (original.length === 0 && patch.length === 0) return original;
  if (itemsAre(original, patch) === "objects") return mergeLists(rule, lists, mergeObjects).items;
  const gone = new Set(patch);
  return original.filter((item) => !gone.has(item));
}

/**
 * A merged list with the items of a `$setElementOrder` in its order.
 * @throws ApiError InternalError for items without a merge key, BadRequest where objects have none to have
 */
export function inElementOrder(rule: Rule, merged: MergedList, order: readonly unknown[]): readonly unknown[] {
  const { mergeKey } = rule;
  const keyOf = mergeKey === undefined ? scalar : (item: unknown) => keyIn(item, mergeKey);
  return arranged(merged.items, { wanted: order, server: merged.server }, keyOf);
}

/**
 * That a patch's items stand in its `$setElementOrder` and in the same order there; those to delete need not.
 * @throws ApiError InternalError where they do not
 */
export function checkElementOrder(rule: Rule, patch: readonly unknown[], order: readonly unknown[]): void {
  const { mergeKey } = rule;
  if (order.length === 0) return;
  const keyOf = mergeKey === undefined ? scalar : (item: unknown) => keyIn(item, mergeKey);
  const mismatch = (): Error =>
    badRequest(`The order in patch list:\n${goText(patch)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`);
  let next = 0;
  for (const item of patch) {
    const directive = isObject(item) && Object.hasOwn(item, patchDirective) ? item[patchDirective] : undefined;
    if (directive === "delete") continue;
    if (next === order.length) throw mismatch();
    if (directive !== undefined) continue;
    const key = keyOf(item);
    while (next < order.length && keyOf(order[next]) !== key) next++;
    if (next === order.length) throw mismatch();
    next++;
  }
}

/** Items of all lists have one type. @throws ApiError Invalid for lists of lists, InternalError for mixed ones */
export function itemsAre(...lists: readonly (readonly unknown[])[]): "objects" | "scalars" {
  let first: string | undefined;
  for (const item of lists.flat()) {
    const type = goType(item);
    if (first === undefined && Array.isArray(item)) throw patchRejected("lists of lists are not supported");
    if (item === null || type !== (first ?? type)) {
      throw badRequest(`list element types are not identical: ${goText(lists)}`);
    }
    first ??= type;
  }
  if (first === undefined) throw badRequest("no elements in any of the given slices");
  return first.startsWith("map") ? "objects" : "scalars";
}

interface KeyedLists {
  readonly original: readonly JsonObject[];
  readonly patch: readonly JsonObject[];
  readonly mergeKey: string;
  readonly work: PatchWork;
}

function mergeKeyed(
  { original, patch, mergeKey, work }: KeyedLists,
  merge: (a: JsonObject, b: JsonObject) => JsonObject,
): MergedList {
  const plan = planOf(patch, mergeKey);
  const keyOf = (item: unknown): unknown => keyIn(item, mergeKey);
  const remaining = original.filter((item) => !(Object.hasOwn(item, mergeKey) && plan.gone.has(item[mergeKey])));
  if (plan.replaces) {
    return { items: arranged(plan.items, { wanted: [], server: plan.items }, keyOf), server: remaining };
  }
  const items: JsonObject[] = [...remaining];
  const places = new Map<unknown, number>();
  for (const [i, item] of items.entries()) {
    if (Object.hasOwn(item, mergeKey) && !places.has(item[mergeKey])) places.set(item[mergeKey], i);
  }
  const named = new Set<unknown>();
  for (const item of plan.items) {
    const key = keyOf(item);
    const place = places.get(key);
    const known = place === undefined ? undefined : items[place];
    if (place !== undefined && known !== undefined) {
      // Whatever the patch says of an item again, all of the item may be copied again.
      if (named.has(key)) work.spend(nodesOf(known));
      items[place] = merge(known, item);
    } else {
      places.set(key, items.length);
      items.push(item);
    }
    named.add(key);
  }
  return {
    items: arranged(items, { wanted: plan.items, server: remaining }, keyOf),
    // In the reference added items take the room of deleted ones in the list whose order counts for $setElementOrder.
    server: items.slice(0, original.length),
  };
}

/** Objects, lists and scalars of a tree. */
function nodesOf(tree: unknown): number {
  if (Array.isArray(tree)) return tree.reduce<number>((sum, item) => sum + nodesOf(item), 1);
  if (!isObject(tree)) return 1;
  return Object.values(tree).reduce<number>((sum, value) => sum + nodesOf(value), 1);
}

interface ListPlan {
  readonly items: readonly JsonObject[];
  /** Merge keys of items to delete. */
  readonly gone: ReadonlySet<unknown>;
  readonly replaces: boolean;
}

/** What the items of a patch with and without `$patch` ask for. */
function planOf(patch: readonly JsonObject[], mergeKey: string): ListPlan {
  const items: JsonObject[] = [];
  const gone = new Set<unknown>();
  let replaces = false;
  for (const item of patch) {
    if (!Object.hasOwn(item, patchDirective)) items.push(item);
    else if (item[patchDirective] === "delete") gone.add(keyIn(item, mergeKey));
    else if (item[patchDirective] === "replace") replaces = true;
    else if (item[patchDirective] === "merge") throw badRequest("merging lists cannot yet be specified in the patch");
    else throw unknownDirective(item);
  }
  return { items, gone, replaces };
}

/** An item's merge key. @throws ApiError InternalError where it has none */
function keyIn(item: unknown, mergeKey: string): unknown {
  if (!isObject(item)) throw wrongType(object, item);
  if (!Object.hasOwn(item, mergeKey)) throw missingMergeKey(item, mergeKey);
  return item[mergeKey];
}

/** A scalar is its own key. */
function scalar(item: unknown): unknown {
  if (typeof item !== "object" || item === null) return item;
  throw badElementOrder();
}

/**
 * Items that the patch names stand in its order, the others in the server's. Where both orders leave a choice the
 * patch's items come first, unless the server's comes before it in the server's order:
 *
 *     server [a b c d], patch [d n b]   →   [a c d n b]
 */
function arranged(
  items: readonly unknown[],
  order: { readonly wanted: readonly unknown[]; readonly server: readonly unknown[] },
  keyOf: (item: unknown) => unknown,
): unknown[] {
  const wanted = placesOf(order.wanted, keyOf);
  const server = placesOf(order.server, keyOf);
  const named = sortedBy(
    wanted,
    items.filter((item) => wanted.has(keyOf(item))),
    keyOf,
  );
  const others = sortedBy(
    server,
    items.filter((item) => !wanted.has(keyOf(item))),
    keyOf,
  );
  const result: unknown[] = [];
  let next = 0;
  for (const item of named) {
    const limit = server.get(keyOf(item)) ?? -1;
    while (next < others.length && (server.get(keyOf(others[next])) ?? limit) < limit) result.push(others[next++]);
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

/** Where each key stands first. */
function placesOf(items: readonly unknown[], keyOf: (item: unknown) => unknown): ReadonlyMap<unknown, number> {
  const places = new Map<unknown, number>();
  for (const [i, item] of items.entries()) {
    const key = keyOf(item);
    if (!places.has(key)) places.set(key, i);
  }
  return places;
}

function sortedBy(
  places: ReadonlyMap<unknown, number>,
  items: readonly unknown[],
  keyOf: (item: unknown) => unknown,
): readonly unknown[] {
  const place = (item: unknown): number => places.get(keyOf(item)) ?? Number.MAX_SAFE_INTEGER;
  return [...items].sort((a, b) => place(a) - place(b));
}
