import type { HistoryOptions } from "@orch/cache/history.js";
import type { Key, Revision } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import type { Place } from "../readable.js";
import { recollect } from "./recollect.js";
import type { Shelves } from "./shelves.js";

export interface RecallOptions {
  readonly store: Store;
  readonly prefix: Key;
  readonly place: (key: Key) => Place | undefined;
  readonly history: HistoryOptions;
  readonly onError: (what: string, error: unknown) => void;
}

/** A load whose past is wanted, until the signal. */
export interface Recalled {
  readonly shelves: Shelves;
  readonly at: Revision;
  readonly over: AbortSignal;
}

/** So much of what was before a load is read for watches that resume, in at most that time. */
const recallRevisions = 10_000;
const recallMs = 10_000;

/** Reads the changes before a load, so that watches which were open before a restart can resume. */
export async function recall(options: RecallOptions, { shelves, at, over }: Recalled): Promise<void> {
  const { store, prefix, place, history } = options;
  // A timer of ours: combined with others, a signal of AbortSignal.timeout may be collected before it fires (Node 20).
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), recallMs);
  try {
    const recollection = await recollect({
      ...{ store, prefix, place, until: at, revisions: recallRevisions, history },
      current: (where) => shelves.of(where.storagePrefix).collection.get(where.key),
      signal: AbortSignal.any([over, late.signal]),
    });
    if (recollection === undefined || over.aborted) return;
    shelves.precede(recollection);
  } catch (error) {
    if (!over.aborted) options.onError("the history from before the load could not be read", error);
  } finally {
    clearTimeout(timer);
  }
}
