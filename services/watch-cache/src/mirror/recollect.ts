import { createHistory, type History, type HistoryOptions } from "@orch/cache/history.js";
import { ApiError } from "@orch/status/api-error.js";
import { oldestReadable } from "@orch/store/oldest-readable.js";
import { type Key, type Revision, revision } from "@orch/store/revision.js";
import type { Entry, Store, StoreEvent } from "@orch/store/store.js";
import type { CachedObject } from "../object.js";
import { objectAt, type Place } from "../readable.js";

export interface RecollectOptions {
  readonly store: Store;
  readonly prefix: Key;
  readonly place: (key: Key) => Place | undefined;
  /** What is shown of an object now, to be shared where it is the same state. */
  readonly current: (at: Place) => CachedObject | undefined;
  /** The last revision to read, which is committed, and how many up to it at most. */
  readonly until: Revision;
  readonly revisions: number;
  readonly history: HistoryOptions;
  readonly signal: AbortSignal;
}

/** Histories by storage prefix; a prefix without one had no changes. */
export interface Recollection {
  /** Every change after this revision is there. */
  readonly after: Revision;
  readonly histories: ReadonlyMap<string, History<CachedObject>>;
}

/** The changes up to a revision as the store still knows them; undefined when it knows none, one cannot be read, or not in time. */
export async function recollect(options: RecollectOptions): Promise<Recollection | undefined> {
  const { store, prefix, until, signal } = options;
  const from = revision(Math.max(1, until - options.revisions));
  const after = await oldestReadable(store, { prefix, from, until });
  if (after === until) return undefined;
  const recollection = createRecollection(options, after);
  try {
    for await (const item of store.watch({ prefix, from: revision(after + 1), signal })) {
      if (item.type === "events") for (const event of item.events) if (!recollection.add(event)) return undefined;
      if ((item.type === "progress" ? item.revision : revisionOf(item.events.at(-1))) >= until) {
        return { after, histories: recollection.histories };
      }
    }
  } catch (error) {
    // Compacted meanwhile.
    if (!(error instanceof ApiError && error.reason === "Expired")) throw error;
  }
  return undefined;
}

function createRecollection(options: RecollectOptions, after: Revision) {
  const histories = new Map<string, History<CachedObject>>();
  /** The newest state of each key so far: the previous one of its next change. */
  const states = new Map<Key, CachedObject>();

  const historyOf = (storagePrefix: string): History<CachedObject> => {
    const known = histories.get(storagePrefix);
    if (known !== undefined) return known;
    const made = createHistory<CachedObject>(after, options.history);
    histories.set(storagePrefix, made);
    return made;
  };
  const stateOf = (entry: Entry, where: Place): CachedObject | undefined => {
    for (const known of [states.get(entry.key), options.current(where)]) {
      if (known?.revision === entry.revision) return known;
    }
    return objectAt(where, entry);
  };
  return {
    histories,
    /** False for a change that cannot be read: the history would pass over it. */
    add(event: StoreEvent): boolean {
      if (event.type === "damaged") return false;
      const at = revisionOf(event);
      const storeKey = event.type === "put" ? event.entry.key : event.key;
      const where = options.place(storeKey);
      if (where === undefined || at > options.until) return true;
      const previous = event.previous === undefined ? undefined : stateOf(event.previous, where);
      const item = event.type === "put" ? stateOf(event.entry, where) : undefined;
      if (event.type === "put" && item === undefined) return false;
      if (item === undefined) states.delete(storeKey);
      else states.set(storeKey, item);
      if (item === undefined && previous === undefined) return true;
      historyOf(where.storagePrefix).append({ revision: at, key: where.key, item, previous });
      return true;
    },
  };
}

function revisionOf(event: StoreEvent | undefined): number {
  if (event === undefined) return 0;
  return event.type === "put" ? event.entry.revision : event.revision;
}
