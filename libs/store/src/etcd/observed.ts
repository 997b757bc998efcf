/** The newest revision that any answer of the store has shown, for watches that must say how far they are. */
export interface Observed {
  newest(): number;
  see(revision: number): void;
  /** Forgets it: the store was set back, and what was seen is to come again. */
  setBack(): void;
  /** Calls back whenever the newest revision grows; returns the end of it. */
  subscribe(listener: () => void): () => void;
}

export function createObserved(): Observed {
  let newest = 0;
  const listeners = new Set<() => void>();
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
  };
}
