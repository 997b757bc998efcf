import BTreeModule from "sorted-btree";
import bulkLoadModule from "sorted-btree/extended/bulkLoad.js";
import type { Item } from "./change.js";
import type { Scope, Selected, Selection, State } from "./selection.js";

export type SortedItems<I extends Item> = BTreeModule.default<string, I>;

const BTree = BTreeModule.default;

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Items in the order of their keys; fastest of those that come in it. */
export function sortedItems<I extends Item>(byKey: ReadonlyMap<string, I>): SortedItems<I> {
  const keys = [...byKey.keys()];
  const inOrder = keys.every((key, i) => i === 0 || compare(keys[i - 1] ?? "", key) < 0);
  if (inOrder) return bulkLoadModule.bulkLoad(keys, [...byKey.values()], nodeSize, compare);
  return new BTree([...byKey], compare, nodeSize);
}

/** Most entries of a node: the tree's own default. */
const nodeSize = 32;

/** What a tree holds as a state: everything is answered by walks. */
export function sortedState<I extends Item>(tree: SortedItems<I>): State<I> {
  return {
    get: (key) => tree.get(key),
    select: (query) => walk(tree, query),
    count: (scope) => countOf(tree, scope),
  };
}

/** Selects by a walk over the range of the scope. */
export function walk<I extends Item>(tree: SortedItems<I>, query: Selection<I>): Selected<I> {
  const { matches, limit = Number.POSITIVE_INFINITY } = query;
  const found: I[] = [];
  let more = false;
  const visit = (_key: string, item: I): { break: boolean } | undefined => {
    if (matches !== undefined && !matches(item)) return undefined;
    if (found.length >= limit) {
      more = true;
      return { break: true };
    }
    found.push(item);
    return undefined;
  };
  const range = rangeOf(tree, query.scope, query.after);
  if (range !== undefined) tree.forRange(range.low, range.high, range.closed, visit);
  return { items: found, more };
}

function countOf<I extends Item>(tree: SortedItems<I>, scope: Scope): number {
  if (scope.type === "all") return tree.size;
  if (scope.type === "key") return Number(tree.has(scope.key));
  const range = rangeOf(tree, scope, undefined);
  return range === undefined ? 0 : tree.forRange(range.low, range.high, range.closed);
}

interface Range {
  readonly low: string;
  readonly high: string;
  /** Whether `high` belongs to it. */
  readonly closed: boolean;
}

function rangeOf<I extends Item>(tree: SortedItems<I>, scope: Scope, after: string | undefined): Range | undefined {
  const range = scopeRange(tree, scope);
  // The first key behind a key is that key with a zero byte more.
  const behind = after === undefined ? undefined : `${after}\0`;
  return range === undefined || behind === undefined || behind <= range.low ? range : { ...range, low: behind };
}

function scopeRange<I extends Item>(tree: SortedItems<I>, scope: Scope): Range | undefined {
  if (scope.type === "key") return { low: scope.key, high: scope.key, closed: true };
  // `/` is followed by `0` in ASCII: the first key behind all of a namespace.
  if (scope.type === "namespace") return { low: `${scope.namespace}/`, high: `${scope.namespace}0`, closed: false };
  const [low, high] = [tree.minKey(), tree.maxKey()];
  return low === undefined || high === undefined ? undefined : { low, high, closed: true };
}
