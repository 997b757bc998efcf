import type { Change, Item } from "./change.js";
import { createHistory, type History, type HistoryOptions } from "./history.js";
import { createIndexes, type ValueAt } from "./indexes.js";
import { createKeptStates } from "./kept-states.js";
import { inScope, type Scope, type Selected, type Selection, type State } from "./selection.js";
import { sortedItems, walk } from "./sorted-state.js";

/** One resource's items by key and in key order, as they are now, with the changes that led here. */
export interface Collection<I extends Item> extends State<I> {
  readonly history: History<I>;
  apply(change: Change<I>): void;
  /**
   * The state at a revision; undefined where it is not known any more. The caller knows that every change up to the
   * revision was applied.
   */
  at(revision: number): State<I> | undefined;
  /** Keeps the state that is now for {@link at}, for as long as history: somebody reads it page by page. */
  keep(): void;
  /** Drops what is over age; called now and then so that a quiet collection lets go too. */
  trim(): void;
}

export interface CollectionOptions<I extends Item> extends HistoryOptions {
  readonly valueAt: ValueAt<I>;
}

/** "" for what has none. */
function namespaceOf(key: string): string {
  return key.slice(0, Math.max(key.indexOf("/"), 0));
}

/** Keys out of an index are sorted and looked up one by one: a walk over this many items costs as much as one. */
const scanAdvantage = 4;
/** So few items are walked faster than an index is kept. */
const smallRange = 200;

/**
 * How many keys of an index cost less than a walk. A walk for a page of `limit` ends early: of `n` items of which `k`
 * match it sees about `limit * n / k`, so that k is worth it while k * k stays below limit * n.
 */
function worthOf(items: number, limit: number | undefined): number {
  const whole = items / scanAdvantage;
  return limit === undefined ? whole : Math.min(whole, Math.sqrt(limit * whole));
}

export function createCollection<I extends Item>(
  items: Iterable<I>,
  revision: number,
  options: CollectionOptions<I>,
): Collection<I> {
  const byKey = new Map<string, I>();
  const perNamespace = new Map<string, number>();
  const counted = (key: string, more: 1 | -1): void => {
    const namespace = namespaceOf(key);
    const count = (perNamespace.get(namespace) ?? 0) + more;
    if (count === 0) perNamespace.delete(namespace);
    else perNamespace.set(namespace, count);
  };
  for (const item of items) {
    byKey.set(item.key, item);
    counted(item.key, 1);
  }
  const sorted = sortedItems(byKey);
  const indexes = createIndexes<I>({ valueAt: options.valueAt, items: () => byKey.values() });
  const history = createHistory<I>(revision, options);

  const kept = createKeptStates<I>(options);
  /** The revision of the newest change. */
  let changedAt = revision;

  const count = (scope: Scope): number => {
    if (scope.type === "all") return byKey.size;
    return scope.type === "key" ? Number(byKey.has(scope.key)) : (perNamespace.get(scope.namespace) ?? 0);
  };

  const one = (key: string, { matches, after }: Selection<I>): Selected<I> => {
    const item = after === undefined || key > after ? byKey.get(key) : undefined;
    return { items: item !== undefined && (matches === undefined || matches(item)) ? [item] : [], more: false };
  };

  /** Undefined where the range is to be walked. */
  const lookUp = ({ scope, terms = [], matches, after, limit }: Selection<I>): Selected<I> | undefined => {
    const inRange = count(scope);
    if (terms.length === 0 || inRange < smallRange) return undefined;
    const keys = indexes.find(terms, worthOf(inRange, limit));
    if (keys === undefined) return undefined;
    const found = keys.flatMap((key) => {
      if (!inScope(scope, key) || (after !== undefined && key <= after)) return [];
      const item = byKey.get(key);
      return item !== undefined && (matches === undefined || matches(item)) ? [item] : [];
    });
    found.sort((a, b) => (a.key < b.key ? -1 : 1));
    const more = limit !== undefined && found.length > limit;
    return { items: more ? found.slice(0, limit) : found, more };
  };

  const collection: Collection<I> = {
    get: (key) => byKey.get(key),
    count,
    select: (query) =>
      query.scope.type === "key" ? one(query.scope.key, query) : (lookUp(query) ?? walk(sorted, query)),
    at: (wanted) => (wanted >= changedAt ? collection : kept.at(wanted)),
    keep: kept.wish,
    trim() {
      history.trim();
      kept.trim();
    },
    history,
    apply(change) {
      kept.before(change, sorted, changedAt);
      changedAt = change.revision;
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
  return collection;
}
