import { type Collection, createCollection } from "@orch/cache/collection.js";
import { createFeeds, type Feeds } from "@orch/cache/feeds.js";
import { createHistory, type HistoryOptions } from "@orch/cache/history.js";
import type { Revision } from "@orch/store/revision.js";
import type { CachedObject } from "../object.js";
import type { Place } from "../readable.js";
import { valueAt } from "../selector.js";
import type { Recollection } from "./recollect.js";
import { createUnreadables, type Unreadables } from "./unreadable.js";

/** One collection of the mirror: what is stored under one storage prefix. */
export interface Shelf {
  readonly collection: Collection<CachedObject>;
  readonly feeds: Feeds<CachedObject>;
  /** What is not in the collection though it is stored. */
  readonly unreadable: Unreadables;
}

/** Everything of one load, by storage prefix, with the changes since. */
export interface Shelves {
  /** An empty one where nothing is stored under the prefix. */
  of(storagePrefix: string): Shelf;
  all(): Iterable<Shelf>;
  /** Takes an object out of its collection, whose history begins anew at the revision: nobody could tell that change. */
  cut(where: Place, at: Revision): void;
  /** The same objects in another form, in a collection whose history begins anew at the revision. */
  remake(
    storagePrefix: string,
    at: Revision,
    change: (objects: readonly CachedObject[]) => Iterable<CachedObject>,
  ): void;
  /** Forgets those of no kind that are empty and followed by nobody; whoever follows one later begins at the revision. */
  drop(at: Revision, isKnown: (storagePrefix: string) => boolean): void;
  /** Puts what was before the load in front of every history. */
  precede(recollection: Recollection): void;
}

interface Replacement {
  readonly shelf: Shelf;
  readonly items: Iterable<CachedObject>;
  readonly at: Revision;
}

export function createShelves(
  objects: ReadonlyMap<string, readonly CachedObject[]>,
  at: number,
  options: HistoryOptions,
): Shelves {
  /** After this revision every history is whole, also that of a shelf which is still to be made. */
  let begin = at;
  const newShelf = (items: Iterable<CachedObject>): Shelf => ({
    collection: createCollection(items, begin, { ...options, valueAt }),
    feeds: createFeeds(valueAt),
    unreadable: createUnreadables(),
  });
  const shelves = new Map([...objects].map(([storagePrefix, items]) => [storagePrefix, newShelf(items)]));

  const of = (storagePrefix: string): Shelf => {
    const known = shelves.get(storagePrefix);
    if (known !== undefined) return known;
    const made = newShelf([]);
    shelves.set(storagePrefix, made);
    return made;
  };
  const replace = (storagePrefix: string, { shelf, items, at }: Replacement): void => {
    shelves.set(storagePrefix, { ...shelf, collection: createCollection(items, at, { ...options, valueAt }) });
  };
  return {
    of,
    all: () => shelves.values(),
    remake(storagePrefix, at, change) {
      const shelf = shelves.get(storagePrefix);
      if (shelf === undefined) return;
      replace(storagePrefix, { shelf, items: change(shelf.collection.select({ scope: { type: "all" } }).items), at });
    },
    drop(at, isKnown) {
      for (const [storagePrefix, { collection, feeds, unreadable }] of shelves) {
        if (collection.count({ type: "all" }) > 0 || feeds.watchers > 0 || unreadable.size > 0) continue;
        if (isKnown(storagePrefix)) continue;
        shelves.delete(storagePrefix);
        begin = Math.max(begin, at);
      }
    },
    cut({ storagePrefix, key }, revision) {
      const shelf = of(storagePrefix);
      const left = shelf.collection.select({ scope: { type: "all" } }).items.filter((item) => item.key !== key);
      replace(storagePrefix, { shelf, items: left, at: revision });
    },
    precede({ after, histories }) {
      for (const storagePrefix of histories.keys()) of(storagePrefix);
      begin = after;
      for (const [storagePrefix, { collection }] of shelves) {
        collection.history.precede(histories.get(storagePrefix) ?? createHistory(begin, options));
      }
    },
  };
}
