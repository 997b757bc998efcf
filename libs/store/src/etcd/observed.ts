import { StoreSetBack } from "../set-back.js";
import { type Header, toNumber } from "./methods.js";

/** What the answers of the store have shown: the newest revision, for watches that must say how far they are, and whose it is. */
export interface Observed {
  newest(): number;
  see(revision: number): void;
  /** Forgets it: the store was set back, and what was seen is to come again. */
  setBack(): void;
  /** Calls back whenever the newest revision grows; returns the end of it. */
  subscribe(listener: () => void): () => void;
  /** The cluster that answers now. */
  readonly cluster: Cluster;
  /** Takes note of who gave an answer; `asked` is {@link cluster} as it was when the question was sent. */
  answered(header: Header, asked: Cluster): void;
}

/** One cluster for as long as it answers. */
export interface Cluster {
  /** Aborts, with a {@link StoreSetBack}, as soon as another cluster answers. */
  readonly replaced: AbortSignal;
}

export function createObserved(): Observed {
  let newest = 0;
  const listeners = new Set<() => void>();
  let ending = new AbortController();
  let cluster: Cluster = { replaced: ending.signal };
  /** 0 until it is known. */
  let id = 0;
  return {
    newest: () => newest,
    see(revision) {
      if (revision <= newest) return;
      newest = revision;
      for (const listener of listeners) listener();
    },
    setBack() {
      newest = 0;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get cluster() {
      return cluster;
    },
    answered(header, asked) {
      // 64 bits as a number lose some: two that differ are still hardly ever taken for one.
      const from = toNumber(header?.clusterId);
      // What was asked before a change may be the late answer of the one before.
      if (from === 0 || from === id || asked !== cluster) return;
      const known = id !== 0;
      id = from;
      if (!known) return;
      const before = ending;
      ending = new AbortController();
      cluster = { replaced: ending.signal };
      newest = 0;
      before.abort(new StoreSetBack("another cluster answers in place of the store's own"));
    },
  };
}
