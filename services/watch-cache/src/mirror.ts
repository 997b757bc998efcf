import type { Change } from "@orch/cache/change.js";
import { type Collection, createCollection } from "@orch/cache/collection.js";
import { createFeeds, type Feeds } from "@orch/cache/feeds.js";
import { createGate, type Gate } from "@orch/cache/gate.js";
import { createHistory, type HistoryOptions } from "@orch/cache/history.js";
import { ApiError } from "@orch/status/api-error.js";
import { snapshot } from "@orch/store/pages.js";
import { type Key, noRevision, type Revision, revision } from "@orch/store/revision.js";
import { StoreSetBack } from "@orch/store/set-back.js";
import { type Allocate, createSlabs } from "@orch/store/slabs.js";
import type { Entry, Range, Store, StoreEvent } from "@orch/store/store.js";
import { type CachedObject, cachedObject } from "./object.js";
import type { Place } from "./readable.js";
import { recollect } from "./recollect.js";
import { valueAt } from "./selector.js";

/** One collection of the mirror: what is stored under one storage prefix. */
export interface Shelf {
  readonly collection: Collection<CachedObject>;
  readonly feeds: Feeds<CachedObject>;
}

export interface MirrorOptions {
  readonly store: Store;
  /** The first load, where reading has begun already. */
  readonly begun?: AsyncIterable<Range> | undefined;
  readonly prefix: Key;
  /** undefined for a key that is no object's; such keys are passed over. */
  readonly place: (key: Key) => Place | undefined;
  readonly history: HistoryOptions;
  /** Milliseconds since 1970, with fractions: when a change came. */
  readonly stamp: () => number;
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
  /** Called when what was shown is over, before anything new shows. */
  onReset(run: () => void): void;
  /** Settles when there is something to show. */
  whenLoaded(): Promise<void>;
  /** Settles when the history from before the load is there, or will not come. */
  recalled(): Promise<void>;
  /**
   * To be called before the store is asked for its newest revision, and what it gives with the answer: a store that is
   * older than what was shown when it was asked was set back. That is hidden at once, and the store loaded anew.
   */
  expectNoLess(): (newest: Revision) => void;
}

const retryMs = 500;
/**
 * Objects that are loaded together share memory by the dozen, neighbours by key. An object that changes gets its own; at the worst
 * one that stays keeps this much.
 */
const slabBytes = 16 * 1024;
/** So much of what was before a load is read for watches that resume, in at most that time. */
const recallRevisions = 10_000;
const recallMs = 10_000;

export function createMirror(options: MirrorOptions): Mirror {
  const { store, prefix, place } = options;
  const resets = new Set<() => void>();
  let shelves = new Map<string, Shelf>();
  const gate = createGate(0);
  let begun = options.begun;
  let begin = 0;
  let loaded = false;
  let loading = newLoading();
  let recalled = Promise.resolve();
  let flushPlanned = false;
  let round = new AbortController();
  /** Counts the histories that were shown and hidden. */
  let era = 0;

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

  const objectOf = (entry: Entry, at: Place, allocate?: Allocate): CachedObject | undefined => {
    try {
      return cachedObject(at.key, entry, at.taken, allocate);
    } catch (error) {
      options.onError(`the stored value of ${entry.key} is not readable`, error);
      return undefined;
    }
  };

  const load = async (signal: AbortSignal): Promise<Loaded> => {
    const byPrefix = new Map<string, CachedObject[]>();
    const allocate = createSlabs(slabBytes);
    let at = noRevision;
    let newest: Entry | undefined;
    const pages = begun ?? snapshot(store, { prefix });
    begun = undefined;
    for await (const page of pages) {
      at = page.revision;
      if (loaded && at < gate.revision) hide();
      for (const entry of page.entries) {
        const where = place(entry.key);
        const object = where === undefined ? undefined : objectOf(entry, where, allocate);
        if (where === undefined || object === undefined) continue;
        const objects = byPrefix.get(where.storagePrefix);
        if (objects === undefined) byPrefix.set(where.storagePrefix, [object]);
        else objects.push(object);
      }
      newest = newestOf(page.entries, newest);
      // What is loaded in part must never show.
      signal.throwIfAborted();
    }
    show(byPrefix, at);
    recalled = recall(at, signal);
    return { at, newest };
  };

  const show = (byPrefix: ReadonlyMap<string, CachedObject[]>, at: Revision): void => {
    if (loaded) for (const reset of resets) reset();
    begin = at;
    shelves = new Map([...byPrefix].map(([storagePrefix, objects]) => [storagePrefix, newShelf(objects)]));
    gate.reset(at);
    loaded = true;
    loading.done();
  };

  /** What is shown is of a history that never was: nobody may see it any more. */
  const hide = (): void => {
    era += 1;
    loaded = false;
    loading = newLoading();
    for (const reset of resets) reset();
    gate.reset(0);
  };

  /** Reads the changes before a load, so that watches which were open before a restart can resume. */
  const recall = async (at: Revision, signal: AbortSignal): Promise<void> => {
    try {
      const recollection = await recollect({
        ...{ store, prefix, place, objectOf, until: at, revisions: recallRevisions, history: options.history },
        current: (where) => shelves.get(where.storagePrefix)?.collection.get(where.key),
        signal: AbortSignal.any([signal, AbortSignal.timeout(recallMs)]),
      });
      if (recollection === undefined || signal.aborted) return;
      for (const storagePrefix of recollection.histories.keys()) shelf(storagePrefix);
      begin = recollection.after;
      for (const [storagePrefix, { collection }] of shelves) {
        collection.history.precede(recollection.histories.get(storagePrefix) ?? createHistory(begin, options.history));
      }
    } catch (error) {
      if (!signal.aborted) options.onError("the history from before the load could not be read", error);
    }
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
    const at = options.stamp();
    let last = 0;
    for (const event of events) {
      last = event.type === "put" ? event.entry.revision : event.revision;
      const where = place(event.type === "put" ? event.entry.key : event.key);
      const change = where === undefined ? undefined : changeOf(event, where);
      if (where === undefined || change === undefined) continue;
      const { collection, feeds } = shelf(where.storagePrefix);
      collection.apply(change);
      feeds.publish(change, at);
    }
    gate.advance(last);
    planFlush();
  };

  const follow = async ({ at, newest }: Loaded, signal: AbortSignal): Promise<void> => {
    const query = { prefix, from: revision(at + 1), signal, ...(newest === undefined ? {} : { known: newest }) };
    for await (const item of store.watch(query)) {
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
        round = new AbortController();
        const either = AbortSignal.any([signal, round.signal]);
        try {
          await follow(await unlessAborted(load(either), either), either);
        } catch (error) {
          if (signal.aborted) break;
          if (round.signal.aborted) continue;
          // What still reads the past of this load must not put it before the next one's.
          round.abort();
          if (loaded && error instanceof StoreSetBack) hide();
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
    gate,
    shelf,
    flush,
    onReset: (run) => void resets.add(run),
    whenLoaded: () => loading.promise,
    recalled: () => recalled,
    expectNoLess() {
      const shown = gate.revision;
      const asked = era;
      return (newest) => {
        // An answer that comes when all that was hidden already says nothing of what is shown since.
        if (newest >= shown || era !== asked || !loaded) return;
        hide();
        round.abort();
      };
    },
  };
}

/** What a load has read: the state at a revision, and the entry of it that was written last. */
interface Loaded {
  readonly at: Revision;
  readonly newest: Entry | undefined;
}

/** The entry that was written last, of those of a page and one from before; the pages' own are lent. */
function newestOf(entries: readonly Entry[], before: Entry | undefined): Entry | undefined {
  let newest = before;
  for (const entry of entries) if (newest === undefined || entry.revision > newest.revision) newest = entry;
  return newest === undefined || newest === before ? before : { ...newest, value: Buffer.from(newest.value) };
}

/** A store that is away is not waited for by somebody who stops. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort);
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

interface Loading {
  readonly promise: Promise<void>;
  readonly done: () => void;
}

function newLoading(): Loading {
  let done = (): void => {};
  const promise = new Promise<void>((resolve) => {
    done = resolve;
  });
  return { promise, done };
}
