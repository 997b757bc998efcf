import type { Change, Item } from "./change.js";
import { createHistory, type History, type HistoryOptions } from "./history.js";
import { createIndexes, type ValueAt } from "./indexes.js";
import { createKeptStates } from "./kept-states.js";
import { namespaceOf } from "./namespaces.js";
import { inScope, type Scope, type Selected, type Selection, type State } from "./selection.js";
import { sortedItems, sortedState, walk } from "./sorted-state.js";

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

/** Keys out of an index are sorted and looked up one by one: a walk over this many items costs as much as one. */
const scanAdvantage = 4;
/** So few items are walked faster than an index is kept. */
const smallRange = 200;
/** Lists of several namespaces that are kept until something changes. */
const mostOfSeveral = 16;

/**
 * How many keys of an index cost less than a walk. A walk for a page of `limit` ends early: of `n` items of which `k`
 * match it sees about `limit * n / k`, so that k is worth it while k * k stays below limit * n.
 */
function worthOf(items: number, limit: number | undefined): number {
  const whole = items / scanAdvantage;
  return limit === undefined ? whole : Math.min(whole, Math.sqrt(limit * whole));
}

/**
 * The items of one state that may be selected, given the keys that the indexes of now have; undefined where more than
 * `most` others are to be looked at.
 */
type Candidates<I extends Item> = (indexed: readonly string[], most: number) => readonly I[] | undefined;

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
    if (scope.type === "namespaces") {
      return scope.namespaces.inOrder.reduce((sum, name) => sum + (perNamespace.get(name) ?? 0), 0);
    }
    return scope.type === "key" ? Number(byKey.has(scope.key)) : (perNamespace.get(scope.namespace) ?? 0);
  };

  const one = (key: string, { matches, after }: Selection<I>): Selected<I> => {
    const item = after === undefined || key > after ? byKey.get(key) : undefined;
    return { items: item !== undefined && (matches === undefined || matches(item)) ? [item] : [], more: false };
  };

  /** Undefined where the range is to be walked. */
  const lookUp = (
    candidates: Candidates<I>,
    { scope, terms = [], alternatives = [terms], matches, after, limit }: Selection<I>,
  ): Selected<I> | undefined => {
    if (alternatives.some(({ length }) => length === 0)) return undefined;
    const inRange = count(scope);
    if (inRange < smallRange) return undefined;
    const keys = indexes.findAny(alternatives, worthOf(inRange, limit));
    const items = keys && candidates(keys, worthOf(inRange, undefined));
    if (items === undefined) return undefined;
    const found = items.filter((item) => {
      if (!inScope(scope, item.key) || (after !== undefined && item.key <= after)) return false;
      return matches === undefined || matches(item);
    });
    found.sort((a, b) => (a.key < b.key ? -1 : 1));
    const more = limit !== undefined && found.length > limit;
    return { items: more ? found.slice(0, limit) : found, more };
  };

  /** Whole scopes as they were walked last, until something changes: clients that come back at once ask for the same. */
  const whole = new Map<string, Selected<I>>();
  /** The same of several namespaces: so many answers as clients have different rights, of which a few are kept. */
  const wholeOfSeveral = new Map<string, Selected<I>>();
  const walkedOnce = (query: Selection<I>): Selected<I> => {
    const { scope, matches, after, limit } = query;
    if (matches !== undefined || after !== undefined || limit !== undefined || count(scope) < smallRange) {
      return walk(sorted, query);
    }
    if (scope.type === "namespaces") {
      const { id } = scope.namespaces;
      const known = wholeOfSeveral.get(id) ?? walk(sorted, query);
      if (wholeOfSeveral.size < mostOfSeveral) wholeOfSeveral.set(id, known);
      return known;
    }
    const key = scope.type === "namespace" ? `${scope.namespace}/` : "";
    const known = whole.get(key) ?? walk(sorted, query);
    whole.set(key, known);
    return known;
  };

  const itemsOf = (keys: readonly string[]): I[] => keys.flatMap((key) => byKey.get(key) ?? []);

  /** The state of now, as it can be asked once changes have come: what they left alone the indexes know still. */
  const stateOf = (from: number): State<I> => {
    const state = sortedState(sorted.clone());
    const candidates: Candidates<I> = (indexed, most) => {
      const changes = history.since(from, most);
      if (changes === undefined) return undefined;
      const then = new Map<string, I | undefined>();
      for (const { key, previous } of changes) if (!then.has(key)) then.set(key, previous);
      const changed = [...then.values()].filter((item) => item !== undefined);
      return [...itemsOf(indexed.filter((key) => !then.has(key))), ...changed];
    };
    return { ...state, select: (query) => lookUp(candidates, query) ?? state.select(query) };
  };

  const collection: Collection<I> = {
    get: (key) => byKey.get(key),
    count,
    select: (query) =>
      query.scope.type === "key" ? one(query.scope.key, query) : (lookUp(itemsOf, query) ?? walkedOnce(query)),
    at: (wanted) => (wanted >= changedAt ? collection : kept.at(wanted)),
    keep: kept.wish,
    trim() {
      history.trim();
      kept.trim();
    },
    history,
    apply(change) {
      kept.before(change, changedAt, () => stateOf(changedAt));
      changedAt = change.revision;
      whole.clear();
      if (wholeOfSeveral.size > 0) wholeOfSeveral.clear();
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
