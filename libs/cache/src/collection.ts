import BTreeModule from "sorted-btree";
import type { Change, Item } from "./change.js";
import { createHistory, type History, type HistoryOptions } from "./history.js";

const BTree = BTreeModule.default;

/** Where a listing or a watch looks: everything, one namespace, or one key. */
export type Scope =
  | { readonly type: "all" }
  | { readonly type: "namespace"; readonly namespace: string }
  | { readonly type: "key"; readonly key: string };

/** One resource's items by key and in key order, with the changes that led here. */
export interface Collection<I extends Item> {
  get(key: string): I | undefined;
  /** Items of a scope in key order, those that `matches`, starting after key `after`; at most `limit`. */
  select(query: Selection<I>): Selected<I>;
  readonly size: number;
  readonly history: History<I>;
  apply(change: Change<I>): void;
}

export interface Selection<I extends Item> {
  readonly scope: Scope;
  readonly matches?: (item: I) => boolean;
  readonly limit?: number;
}

export interface Selected<I extends Item> {
  readonly items: readonly I[];
  /** Whether the limit left items out. */
  readonly more: boolean;
}

/** The first key after every key of a namespace: `/` is followed by `0` in ASCII. */
const namespaceEnd = (namespace: string): string => `${namespace}0`;

export function createCollection<I extends Item>(
  items: Iterable<I>,
  revision: number,
  options: HistoryOptions,
): Collection<I> {
  const byKey = new Map<string, I>();
  const sorted = new BTree<string, I>();
  for (const item of items) {
    byKey.set(item.key, item);
    sorted.set(item.key, item);
  }
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

  return {
    get: (key) => byKey.get(key),
    select(query) {
      const { scope } = query;
      if (scope.type === "all") return scan(undefined, undefined, query);
      if (scope.type === "namespace") return scan(`${scope.namespace}/`, namespaceEnd(scope.namespace), query);
      const item = byKey.get(scope.key);
      const found = item !== undefined && (query.matches === undefined || query.matches(item));
      return { items: found ? [item] : [], more: false };
    },
    get size() {
      return byKey.size;
    },
    history,
    apply(change) {
      if (change.item === undefined) {
        byKey.delete(change.key);
        sorted.delete(change.key);
      } else {
        byKey.set(change.key, change.item);
        sorted.set(change.key, change.item);
      }
      history.append(change);
    },
  };
}
