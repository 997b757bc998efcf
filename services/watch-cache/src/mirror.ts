import type { Change } from "@orch/cache/change.js";
import { type Collection, createCollection } from "@orch/cache/collection.js";
import { createFeeds, type Feeds } from "@orch/cache/feeds.js";
import { createGate, type Gate } from "@orch/cache/gate.js";
import type { HistoryOptions } from "@orch/cache/history.js";
import { ApiError } from "@orch/status/api-error.js";
import { pages } from "@orch/store/pages.js";
import { type Key, noRevision, type Revision, revision } from "@orch/store/revision.js";
import type { Entry, Store, StoreEvent } from "@orch/store/store.js";
import { type CachedObject, cachedObject } from "./object.js";
import type { Place } from "./readable.js";
import { valueAt } from "./selector.js";

/** One collection of the mirror: what is stored under one storage prefix. */
export interface Shelf {
  readonly collection: Collection<CachedObject>;
  readonly feeds: Feeds<CachedObject>;
}

export interface MirrorOptions {
  readonly store: Store;
  readonly prefix: Key;
  /** undefined for a key that is no object's; such keys are passed over. */
  readonly place: (key: Key) => Place | undefined;
  readonly history: HistoryOptions;
  readonly onError: (what: string, error: unknown) => void;
}

/**
 * Follows the store with one watch over the whole prefix (design, section 5) and keeps every object's
 * bytes, by collection. After a gap that the store can't fill (`Expired`) it loads anew, and the watchers of
 * the old state are to be ended (`onReset`).
 */
export interface Mirror {
  /** Runs until the signal; settles when it has stopped. */
  run(signal: AbortSignal): Promise<void>;
  readonly loaded: boolean;
  /** Everything up to here is shown. */
  readonly gate: Gate;
  shelf(storagePrefix: string): Shelf;
  /** Delivers published events at once instead of at the end of the tick. */
  flush(): void;
  /** Called when everything was loaded anew, before the new state shows. */
  onReset(run: () => void): void;
  /** Called once, as soon as the first load is done. */
  whenLoaded(): Promise<void>;
}

const pageSize = 2000;
const retryMs = 500;

export function createMirror(options: MirrorOptions): Mirror {
  const { store, prefix, place } = options;
  const resets = new Set<() => void>();
  let shelves = new Map<string, Shelf>();
  let gate = createGate(0);
  let begin = 0;
  let loaded = false;
  let flushPlanned = false;
  let announceLoaded: () => void = () => {};
  const firstLoad = new Promise<void>((resolve) => {
    announceLoaded = resolve;
  });

  const newShelf = (objects: Iterable<CachedObject>): Shelf => ({
    collection: createCollection(objects, begin, { ...options.history, valueAt }),
    feeds: createFeeds(valueAt),
  });

  const shelf = (storagePrefix: string): Shelf => {
    const known = shelves.get(storagePrefix);
    if (known !== undefined) return known;
    const made = newShelf([]);
    shelves.set(storagePrefix, made);
    return made;
  };

  const flush = (): void => {
    flushPlanned = false;
    for (const { feeds } of shelves.values()) feeds.flush();
  };
  const planFlush = (): void => {
    if (flushPlanned) return;
    flushPlanned = true;
    setImmediate(flush);
  };

  const objectOf = (entry: Entry, at: Place): CachedObject | undefined => {
    try {
      return cachedObject(at.key, entry, at.taken);
    } catch (error) {
      options.onError(`the stored value of ${entry.key} is not readable`, error);
      return undefined;
    }
  };

  const load = async (signal: AbortSignal): Promise<Revision> => {
    const byPrefix = new Map<string, CachedObject[]>();
    let at = noRevision;
    for await (const page of pages(store, { prefix, limit: pageSize, consistent: true })) {
      at = page.revision;
      for (const entry of page.entries) {
        const where = place(entry.key);
        const object = where === undefined ? undefined : objectOf(entry, where);
        if (where === undefined || object === undefined) continue;
        const objects = byPrefix.get(where.storagePrefix);
        if (objects === undefined) byPrefix.set(where.storagePrefix, [object]);
        else objects.push(object);
      }
      // What is loaded in part must never show.
      signal.throwIfAborted();
    }
    show(byPrefix, at);
    return at;
  };

  const show = (byPrefix: ReadonlyMap<string, CachedObject[]>, at: Revision): void => {
    if (loaded) for (const reset of resets) reset();
    begin = at;
    shelves = new Map([...byPrefix].map(([storagePrefix, objects]) => [storagePrefix, newShelf(objects)]));
    // The store may have been set back to an older revision: the gate starts anew with the state.
    const old = gate;
    gate = createGate(at);
    old.advance(at);
    loaded = true;
    announceLoaded();
  };

  const changeOf = (event: StoreEvent, where: Place): Change<CachedObject> | undefined => {
    const previous = shelf(where.storagePrefix).collection.get(where.key);
    if (event.type === "delete") {
      if (previous === undefined) return undefined;
      return { revision: event.revision, key: where.key, item: undefined, previous };
    }
    const item = objectOf(event.entry, where);
    return item === undefined ? undefined : { revision: event.entry.revision, key: where.key, item, previous };
  };

  const apply = (events: readonly StoreEvent[]): void => {
    let last = 0;
    for (const event of events) {
      last = event.type === "put" ? event.entry.revision : event.revision;
      const where = place(event.type === "put" ? event.entry.key : event.key);
      const change = where === undefined ? undefined : changeOf(event, where);
      if (where === undefined || change === undefined) continue;
      const { collection, feeds } = shelf(where.storagePrefix);
      collection.apply(change);
      feeds.publish(change);
    }
    gate.advance(last);
    planFlush();
  };

  const follow = async (from: Revision, signal: AbortSignal): Promise<void> => {
    for await (const item of store.watch({ prefix, from, signal })) {
      if (item.type === "events") apply(item.events);
      else gate.advance(item.revision);
    }
  };

  return {
    async run(signal) {
      const trim = setInterval(() => {
        for (const { collection } of shelves.values()) collection.trim();
      }, 10_000);
      while (!signal.aborted) {
        try {
          const at = await load(signal);
          await follow(revision(at + 1), signal);
        } catch (error) {
          if (signal.aborted) break;
          const gap = error instanceof ApiError && error.reason === "Expired";
          if (!gap) options.onError("following the store failed; loading anew", error);
          await new Promise((resolve) => setTimeout(resolve, gap ? 0 : retryMs));
        }
      }
      clearInterval(trim);
      flush();
    },
    get loaded() {
      return loaded;
    },
    get gate() {
      return gate;
    },
    shelf,
    flush,
    onReset: (run) => void resets.add(run),
    whenLoaded: () => firstLoad,
  };
}
