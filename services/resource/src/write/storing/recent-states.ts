import type { JsonObject } from "@orch/schema/descriptor.js";
import { ownMemory } from "@orch/store/own-memory.js";
import type { Key, Revision } from "@orch/store/revision.js";
import type { Entry, Store } from "@orch/store/store.js";
import { LRUCache } from "lru-cache";

/** A stored state of an object, as a change begins from it. */
export interface StoredState extends Pick<Entry, "key" | "value" | "revision" | "stale"> {
  /** What the value says, where that need not be read. Never written to. */
  readonly tree?: JsonObject | undefined;
  /**
   * What a writer had before it was made ready to be stored: what is read shares with it what both say, so that whoever judged or
   * indexed a part of it sees that it is the same.
   */
  readonly written?: JsonObject | undefined;
}

/** What a stored state says. */
interface ReadTree {
  readonly key: Key;
  readonly revision: Revision;
  /** Of its text. */
  readonly bytes: number;
  readonly tree: JsonObject;
  readonly written?: JsonObject | undefined;
}

/** A store that remembers the states that went through it last. */
export interface RememberingStore {
  readonly store: Store;
  /** What was seen last at a key: newer states may be stored by now, which only a swap or a get tells. */
  readonly recent: (key: Key) => StoredState | undefined;
  /** Who changes an object is likely to change it again: what was read or written then need not be read for that. */
  readonly noteTree: (read: ReadTree) => void;
  /** What went through may be stale by now. */
  readonly forget: () => void;
}

const defaultBytes = 32 << 20;
/** Beside key and value. */
const overhead = 200;
/** How much of what may be remembered trees may be of, by the length of their texts. */
const treesPart = 1 / 4;

/**
 * Most changes follow another change of the same object by the same replica: they begin from the state that it left,
 * which saves a question to the store for each.
 */
export function remembering(store: Store, maxBytes = defaultBytes): RememberingStore {
  const states = new LRUCache<Key, StoredState>({
    maxSize: maxBytes,
    sizeCalculation: ({ key, value }) => value.length + key.length + overhead,
  });
  const trees = new LRUCache<Key, ReadTree>({
    maxSize: Math.ceil(maxBytes * treesPart),
    sizeCalculation: ({ bytes }) => bytes,
  });
  /** What was sealed before what is known was forgotten may be stale, too. */
  let era = 0;
  const keep = (key: Key, state: StoredState | undefined): void => {
    if (state === undefined) states.delete(key);
    else states.set(key, state);
  };
  const { transactions } = store;
  return {
    recent(key) {
      const state = states.get(key);
      if (state === undefined) return undefined;
      const read = trees.get(key);
      return read?.revision === state.revision ? { ...state, tree: read.tree, written: read.written } : state;
    },
    noteTree: (read) => void trees.set(read.key, read),
    forget() {
      era++;
      states.clear();
      trees.clear();
    },
    store: {
      ...store,
      transactions: transactions && {
        async commit(changes) {
          for (const { key } of changes) states.delete(key);
          const begun = era;
          const answer = await transactions.commit(changes);
          for (const [i, { key, value }] of changes.entries()) {
            const revision = answer.done ? answer.revisions[i] : undefined;
            if (value !== undefined && revision !== undefined && begun === era)
              keep(key, { key, value: ownMemory(value), revision });
          }
          return answer;
        },
      },
      async get(key) {
        const entry = await store.get(key);
        keep(key, entry);
        return entry;
      },
      async swap(change) {
        const { key, value } = change;
        // Whatever becomes of it, what was known is not to be relied on.
        states.delete(key);
        if (value === undefined) trees.delete(key);
        const begun = era;
        const swap = await store.swap(change);
        if (!swap.done) keep(key, swap.current);
        else if (value !== undefined && begun === era)
          keep(key, { key, value: ownMemory(value), revision: swap.revision });
        return swap;
      },
    },
  };
}
