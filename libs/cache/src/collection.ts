import BTreeModule from "sorted-btree";
import type { Change, Item } from "./change.js";
import { createHistory, type History, type HistoryOptions } from "./history.js";
import { createIndexes, type Term, type ValueAt } from "./indexes.js";

const BTree = BTreeModule.default;

/** Where a listing or a watch looks: everything, one namespace, or one key. */
export type Scope =
  | { readonly type: "all" }
  | { readonly type: "namespace"; readonly namespace: string }
  | { readonly type: "key"; readonly key: string };

/** Whether a key lies in a scope. */
export function inScope(scope: Scope, key: string): boolean {
  if (scope.type === "all") return true;
  return scope.type === "key" ? key === scope.key : key.startsWith(`${scope.namespace}/`);
}

/** One resource's items by key and in key order, with the changes that led here. */
export interface Collection<I extends Item> {
  get(key: string): I | undefined;
  /** Items of a scope in key order, those that `matches`; at most `limit`. */
  select(query: Selection<I>): Selected<I>;
  /** How many items a scope has. */
  count(scope: Scope): number;
  readonly history: History<I>;
  apply(change: Change<I>): void;
}

export interface Selection<I extends Item> {
  readonly scope: Scope;
  readonly matches?: (item: I) => boolean;
  /** What `matches` asks for, as far as an index can tell: every item that matches fulfils all of them. */
  readonly terms?: readonly Term[];
  readonly limit?: number;
}

export interface CollectionOptions<I extends Item> extends HistoryOptions {
  readonly valueAt: ValueAt<I>;
}

export interface Selected<I extends Item> {
  readonly items: readonly I[];
  /** Whether the limit left items out. */
  readonly more: boolean;
}

/** The first key after every key of a namespace: `/` is followed by `0` in ASCII. */
const namespaceEnd = (namespace: string): string => `${namespace}0`;

/** "" for what has none. */
function namespaceOf(key: string): string {
  return key.slice(0, Math.max(key.indexOf("/"), 0));
}

/** Keys out of an index are sorted and looked up one by one: a walk over this many items costs as much as one. */
const scanAdvantage = 4;
/** So few items are walked faster than an index is kept. */
const smallRange = 200;

export function createCollection<I extends Item>(
  items: Iterable<I>,
  revision: number,
  options: CollectionOptions<I>,
): Collection<I> {
  const byKey = new Map<string, I>();
  const sorted = new BTree<string, I>();
  const perNamespace = new Map<string, number>();
  const counted = (key: string, more: 1 | -1): void => {
    const namespace = namespaceOf(key);
    const count = (perNamespace.get(namespace) ?? 0) + more;
    if (count === 0) perNamespace.delete(namespace);
    else perNamespace.set(namespace, count);
  };
  for (const item of items) {
    byKey.set(item.key, item);
    sorted.set(item.key, item);
    counted(item.key, 1);
  }
  const indexes = createIndexes<I>({ valueAt: options.valueAt, items: () => byKey.values() });
  const history = createHistory<I>(revision, options);

  const scan = (low: string | undefined, high: string | undefined, query: Selection<I>): Selected<I> => {
    const found: I[] = [];
    const limit = query.limit ?? Number.POSITIVE_INFINITY;
    const { matches } = query;
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
    const first = low ?? sorted.minKey();
    const last = high ?? sorted.maxKey();
    if (first !== undefined && last !== undefined) sorted.forRange(first, last, high === undefined, visit);
    return { items: found, more };
  };

  const count = (scope: Scope): number => {
    if (scope.type === "all") return byKey.size;
    return scope.type === "key" ? Number(byKey.has(scope.key)) : (perNamespace.get(scope.namespace) ?? 0);
  };

  const one = (key: string, { matches }: Selection<I>): Selected<I> => {
    const item = byKey.get(key);
    return { items: item !== undefined && (matches === undefined || matches(item)) ? [item] : [], more: false };
  };

  /** Undefined where the range is to be walked. */
  const lookUp = ({ scope, terms = [], matches, limit }: Selection<I>): Selected<I> | undefined => {
    const inRange = count(scope);
    if (terms.length === 0 || inRange < smallRange) return undefined;
    const keys = indexes.find(terms, inRange / scanAdvantage);
    if (keys === undefined) return undefined;
    const found = keys.flatMap((key) => {
      const item = inScope(scope, key) ? byKey.get(key) : undefined;
      return item !== undefined && (matches === undefined || matches(item)) ? [item] : [];
    });
    found.sort((a, b) => (a.key < b.key ? -1 : 1));
    const more = limit !== undefined && found.length > limit;
    return { items: more ? found.slice(0, limit) : found, more };
  };

  return {
    get: (key) => byKey.get(key),
    count,
    select(query) {
      const { scope } = query;
      if (scope.type === "key") return one(scope.key, query);
      const found = lookUp(query);
      if (found !== undefined) return found;
      if (scope.type === "all") return scan(undefined, undefined, query);
      return scan(`${scope.namespace}/`, namespaceEnd(scope.namespace), query);
    },
    history,
    apply(change) {
      if (change.item === undefined) {
        if (byKey.has(change.key)) counted(change.key, -1);
        byKey.delete(change.key);
        sorted.delete(change.key);
      } else {
        if (!byKey.has(change.key)) counted(change.key, 1);
        byKey.set(change.key, change.item);
        sorted.set(change.key, change.item);
      }
      indexes.apply(change);
      history.append(change);
    },
  };
}
