import type { Change, Store, WatchItem } from "./store.js";

/** The reference's words for what is asked of a store, and ours for what it does not count. */
export type StoreOperation = "get" | "list" | "create" | "update" | "delete" | "revision" | "compact";

/** A call to a store, as it began. */
export interface StoreCall {
  readonly operation: StoreOperation;
  /** The key, or the prefix of the keys, that it is about; empty where it is about the store. */
  readonly key: string;
  /** In the time of {@link StoreMetrics}. */
  readonly started: number;
}

/** What becomes of the calls to a store. */
export interface StoreMetrics {
  /** Milliseconds since some moment; never goes back. */
  now(): number;
  /** A swap that is refused for its revision has not failed: it was answered. */
  ended(call: StoreCall, failed: boolean): void;
  /** A watch has brought so many events. */
  brought(events: number): void;
}

/** A Store that tells of each call what it was and how long it took. */
export function timed(store: Store, metrics: StoreMetrics): Store {
  /** The call is measured from before it is made: an embedded store does its work at once. */
  const measured = async <T>(call: StoreCall, answer: Promise<T>): Promise<T> => {
    let failed = true;
    try {
      const answered = await answer;
      failed = false;
      return answered;
    } finally {
      metrics.ended(call, failed);
    }
  };
  const begun = (operation: StoreOperation, key: string): StoreCall => ({ operation, key, started: metrics.now() });
  async function* counted(items: AsyncIterable<WatchItem>): AsyncGenerator<WatchItem> {
    for await (const item of items) {
      if (item.type === "events") metrics.brought(item.events.length);
      yield item;
    }
  }

  const { transactions } = store;
  return {
    ...store,
    /** Each change is counted as what it is, and lasts as long as all. */
    transactions: transactions && {
      commit(changes) {
        const calls = changes.map((change) => begun(operationOf(change), change.key));
        return calls.reduce((answer, call) => measured(call, answer), transactions.commit(changes));
      },
    },
    revision: () => measured(begun("revision", ""), store.revision()),
    get: (key) => measured(begun("get", key), store.get(key)),
    range: (query) => measured(begun("list", query.prefix), store.range(query)),
    swap: (change) => measured(begun(operationOf(change), change.key), store.swap(change)),
    watch: (query) => counted(store.watch(query)),
    compact: (revision) => measured(begun("compact", ""), store.compact(revision)),
  };
}

function operationOf({ expected, value }: Change): StoreOperation {
  if (value === undefined) return "delete";
  return expected === 0 ? "create" : "update";
}
