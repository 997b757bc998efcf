import BTreeModule from "sorted-btree";
import bulkLoadModule from "sorted-btree/extended/bulkLoad.js";
import type { Item } from "./change.js";
import { firstBehind, type Namespaces } from "./namespaces.js";
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
  for (const scope of rangesOf(query)) {
    const range = rangeOf(tree, scope, query.after);
    if (range !== undefined) tree.forRange(range.low, range.high, range.closed, visit);
    if (more) break;
  }
  return { items: found, more };
}

/** A scope that is one range of keys. */
type RangeScope = Exclude<Scope, { readonly type: "namespaces" }>;

/** The ranges of a scope in their order, without those that lie before the first key that is asked for. */
function rangesOf<I extends Item>({ scope, after }: Selection<I>): Iterable<RangeScope> {
  if (scope.type !== "namespaces") return [scope];
  return rangesFrom(scope.namespaces, after === undefined ? 0 : firstBehind(scope.namespaces, after));
}

function* rangesFrom({ inOrder }: Namespaces, from: number): Generator<RangeScope> {
  for (let i = from; i < inOrder.length; i++) yield { type: "namespace", namespace: inOrder[i] ?? "" };
}

function countOf<I extends Item>(tree: SortedItems<I>, scope: Scope): number {
  if (scope.type === "all") return tree.size;
  if (scope.type === "key") return Number(tree.has(scope.key));
  if (scope.type === "namespaces") {
    return scope.namespaces.inOrder.reduce(
      (sum, namespace) => sum + countOf(tree, { type: "namespace", namespace }),
      0,
    );
  }
  const range = rangeOf(tree, scope, undefined);
  return range === undefined ? 0 : tree.forRange(range.low, range.high, range.closed);
}

interface Range {
  readonly low: string;
  readonly high: string;
  /** Whether `high` belongs to it. */
  readonly closed: boolean;
}

function rangeOf<I extends Item>(
  tree: SortedItems<I>,
  scope: RangeScope,
  after: string | undefined,
): Range | undefined {
  const range = scopeRange(tree, scope);
  // The first key behind a key is that key with a zero byte more.
  const behind = after === undefined ? undefined : `${after}\0`;
  return range === undefined || behind === undefined || behind <= range.low ? range : { ...range, low: behind };
}

function scopeRange<I extends Item>(tree: SortedItems<I>, scope: RangeScope): Range | undefined {
  if (scope.type === "key") return { low: scope.key, high: scope.key, closed: true };
  // `/` is followed by `0` in ASCII: the first key behind all of a namespace.
  if (scope.type === "namespace") return { low: `${scope.namespace}/`, high: `${scope.namespace}0`, closed: false };
  const [low, high] = [tree.minKey(), tree.maxKey()];
  return low === undefined || high === undefined ? undefined : { low, high, closed: true };
}
