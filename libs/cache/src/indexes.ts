import type { Change, Item } from "./change.js";

/** An item has one of these values at a path; any value at all where none are given. */
export interface Term {
  readonly path: string;
  readonly values?: readonly string[];
}

/** The value that an item has at a path, undefined where it has none. */
export type ValueAt<I extends Item> = (item: I, path: string) => string | undefined;

export interface IndexesOptions<I extends Item> {
  readonly valueAt: ValueAt<I>;
  /** All items, for an index that is to be built. */
  readonly items: () => Iterable<I>;
}

/**
 * Indexes over the values of items, one for each path that somebody asks by: the first question looks at every item,
 * those after it cost what they find.
 */
export interface Indexes<I extends Item> {
  /**
   * Keys of the items that fulfil one of the terms, the one that narrows the most, in no order; undefined where each
   * term leaves more than `worth` keys.
   */
  find(terms: readonly Term[], worth: number): readonly string[] | undefined;
  /** The same of items that fulfil the terms of one of the alternatives, each key once. */
  findAny(alternatives: readonly (readonly Term[])[], worth: number): readonly string[] | undefined;
  apply(change: Change<I>): void;
}

/** Paths of one collection; the one that was not asked for the longest makes place for another. */
const maxIndexes = 32;

/** The keys of a value; most values of a path that tells items apart have one. */
type Posting = string | Set<string>;

interface Index {
  readonly postings: Map<string, Posting>;
  size: number;
}

export function createIndexes<I extends Item>({ valueAt, items }: IndexesOptions<I>): Indexes<I> {
  // In the order of their last use.
  const indexes = new Map<string, Index>();

  const build = (path: string): Index => {
    const index: Index = { postings: new Map(), size: 0 };
    for (const item of items()) add(index, valueAt(item, path), item.key);
    return index;
  };

  const used = (path: string, index: Index): Index => {
    indexes.delete(path);
    indexes.set(path, index);
    const [oldest] = indexes.keys();
    if (indexes.size > maxIndexes && oldest !== undefined) indexes.delete(oldest);
    return index;
  };

  const find: Indexes<I>["find"] = (terms, worth) => {
    let best: { readonly index: Index; readonly term: Term; readonly count: number } | undefined;
    // Those that are there first: one that narrows enough saves the building of the others.
    const ordered = [...terms].sort((a, b) => Number(indexes.has(b.path)) - Number(indexes.has(a.path)));
    for (const term of ordered) {
      const known = indexes.get(term.path);
      if (known === undefined && best !== undefined && best.count <= worth) break;
      const index = used(term.path, known ?? build(term.path));
      const count = countOf(index, term);
      if (best === undefined || count < best.count) best = { index, term, count };
    }
    return best === undefined || best.count > worth ? undefined : keysOf(best.index, best.term);
  };

  return {
    find,
    findAny(alternatives, worth) {
      const [only, ...others] = alternatives;
      if (only !== undefined && others.length === 0) return find(only, worth);
      const keys = new Set<string>();
      for (const terms of alternatives) {
        const found = find(terms, worth - keys.size);
        if (found === undefined) return undefined;
        for (const key of found) keys.add(key);
      }
      return [...keys];
    },
    apply({ key, item, previous }) {
      for (const [path, index] of indexes) {
        const before = previous === undefined ? undefined : valueAt(previous, path);
        const now = item === undefined ? undefined : valueAt(item, path);
        if (before === now) continue;
        remove(index, before, key);
        add(index, now, key);
      }
    },
  };
}

function add(index: Index, value: string | undefined, key: string): void {
  if (value === undefined) return;
  index.size += 1;
  const { postings } = index;
  const known = postings.get(value);
  if (known === undefined) postings.set(value, key);
  else if (typeof known === "string") postings.set(value, new Set([known, key]));
  else known.add(key);
}

function remove(index: Index, value: string | undefined, key: string): void {
  if (value === undefined) return;
  index.size -= 1;
  const { postings } = index;
  const known = postings.get(value);
  if (typeof known === "object") known.delete(key);
  if (typeof known === "string" || known?.size === 0) postings.delete(value);
}

function countOf({ postings, size }: Index, { values }: Term): number {
  if (values === undefined) return size;
  return values.reduce((sum, value) => sum + lengthOf(postings.get(value)), 0);
}

function lengthOf(posting: Posting | undefined): number {
  if (posting === undefined) return 0;
  return typeof posting === "string" ? 1 : posting.size;
}

function keysOf({ postings }: Index, { values = [...postings.keys()] }: Term): readonly string[] {
  return values.flatMap((value) => {
    const posting = postings.get(value) ?? [];
    return typeof posting === "string" ? [posting] : [...posting];
  });
}
