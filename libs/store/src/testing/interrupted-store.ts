import type { Store, StoreEvent, WatchItem } from "../store.js";

/** A store whose loads and watches a test interrupts; swaps and gets go through to the real one. */
export interface InterruptedStore extends Store {
  /** The next load fails with this. */
  failLoad(error: Error): void;
  /** From now on loads do not answer, until the returned function is called. */
  holdLoads(): () => void;
  /** Open watches end with this. */
  endWatches(error: Error): void;
  /** Open watches bring these, beside what the store tells. */
  tell(events: readonly StoreEvent[]): void;
  readonly loads: number;
  readonly openWatches: number;
}

interface Interruptible {
  readonly bring: (item: WatchItem) => void;
  readonly end: (error: Error) => void;
}

export function interruptedStore(real: Store): InterruptedStore {
  const watches = new Set<Interruptible>();
  const failures: Error[] = [];
  let held: Promise<void> = Promise.resolve();
  let loads = 0;
  return {
    revision: () => real.revision(),
    get: (key) => real.get(key),
    swap: (change) => real.swap(change),
    notes: real.notes,
    compact: (revision) => real.compact(revision),
    close: () => real.close(),
    async range(query) {
      loads += 1;
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      await held;
      return real.range(query);
    },
    watch: (query) => interruptible(real.watch(query), watches),
    failLoad: (error) => void failures.push(error),
    holdLoads() {
      let free = (): void => {};
      held = new Promise((resolve) => {
        free = resolve;
      });
      return free;
    },
    endWatches(error) {
      for (const watch of watches) watch.end(error);
    },
    tell(events) {
      for (const watch of watches) watch.bring({ type: "events", events });
    },
    get loads() {
      return loads;
    },
    get openWatches() {
      return watches.size;
    },
  };
}

async function* interruptible(items: AsyncIterable<WatchItem>, watches: Set<Interruptible>): AsyncGenerator<WatchItem> {
  const iterator = items[Symbol.asyncIterator]();
  let next = iterator.next();
  let interrupt = newInterrupt(watches);
  try {
    for (;;) {
      const first = await Promise.race([next, interrupt.brought]);
      if ("type" in first) {
        interrupt = newInterrupt(watches);
        yield first;
        continue;
      }
      if (first.done === true) return;
      next = iterator.next();
      yield first.value;
    }
  } finally {
    watches.delete(interrupt);
  }
}

function newInterrupt(watches: Set<Interruptible>): Interruptible & { readonly brought: Promise<WatchItem> } {
  let bring = (_item: WatchItem): void => {};
  let end = (_error: Error): void => {};
  const brought = new Promise<WatchItem>((resolve, reject) => {
    bring = (item) => {
      watches.delete(interrupt);
      resolve(item);
    };
    end = reject;
  });
  // Told when it is raced, unless the watch is over.
  brought.catch(() => {});
  const interrupt = { brought, bring, end };
  watches.add(interrupt);
  return interrupt;
}
