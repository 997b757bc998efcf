import { type Damage, DamagedEntry } from "./damaged-entry.js";
import { ownMemory } from "./own-memory.js";
import { createPace } from "./pace.js";
import type { Key } from "./revision.js";
import type { Entry, Range, Store, StoreEvent, WatchItem } from "./store.js";

/**
 * What stands between a value and the bytes that are stored of it. Neither function may write to its argument, which
 * others read; what they throw fails the call (a key that is not at hand, for one), and says nothing of the entry.
 */
export interface Transformer {
  /** The bytes to store; the key is theirs, so that they may be bound to it. */
  seal(value: Buffer, key: Key): Buffer;
  open(stored: Buffer, key: Key): Opened;
}

export type Opened =
  /** `stale`: not as `seal` would make it now (see Entry). */
  | { readonly type: "value"; readonly value: Buffer; readonly stale?: boolean }
  /** The stored bytes are nothing that this transformer ever made, or not any more. */
  | { readonly type: "damaged"; readonly why: string };

/**
 * A Store whose values pass through a transformer on their way to another one and back. An entry that cannot be opened
 * is a damaged one, as where the medium damaged it. Revisions, order and proofs are those of the store below.
 */
export function transformed(store: Store, transformer: Transformer): Store {
  const open = (entry: Entry, lent: boolean): Entry | Damage => {
    const { key, value, revision } = entry;
    const opened = transformer.open(value, key);
    if (opened.type === "damaged") return { key, revision, why: opened.why };
    const read = lent ? opened.value : ownMemory(opened.value);
    return { ...entry, value: read, ...(opened.stale === true ? { stale: true } : {}) };
  };
  const orThrow = (entry: Entry): Entry => {
    const opened = open(entry, false);
    if (isDamage(opened)) throw new DamagedEntry(opened);
    return opened;
  };

  const openEvent = (event: StoreEvent): StoreEvent => {
    if (event.type === "damaged") return event;
    const before = event.previous && open(event.previous, false);
    const previous = before === undefined || isDamage(before) ? undefined : before;
    if (event.type === "delete") return { ...event, previous };
    const entry = open(event.entry, false);
    return isDamage(entry) ? { type: "damaged", ...entry } : { type: "put", entry, previous };
  };
  async function* openItems(items: AsyncIterable<WatchItem>): AsyncGenerator<WatchItem> {
    for await (const item of items) {
      yield item.type === "events" ? { type: "events", events: item.events.map(openEvent) } : item;
    }
  }

  return {
    ...store,
    async get(key) {
      const entry = await store.get(key);
      return entry && orThrow(entry);
    },
    async range(query) {
      const range = await store.range(query);
      const entries: Entry[] = [];
      const damaged: Damage[] = [];
      const pace = createPace();
      for (const entry of range.entries) {
        const opened = open(entry, query.lent === true);
        if (!isDamage(opened)) entries.push(opened);
        else if (query.damaged === undefined) throw new DamagedEntry(opened);
        else damaged.push(opened);
        const pause = pace();
        if (pause !== undefined) await pause;
      }
      return { ...range, entries, ...withDamaged(range, damaged) };
    },
    async swap(change) {
      const { key, value } = change;
      const sealed = value && transformer.seal(value, key);
      const swap = await store.swap({ ...change, value: sealed });
      if (swap.done || swap.current === undefined) return swap;
      return { done: false, current: orThrow(swap.current) };
    },
    watch: (query) => openItems(store.watch(query)),
  };
}

const isDamage = (opened: Entry | Damage): opened is Damage => "why" in opened;

/** Both stores' damages, in key order: whoever reads by pages goes on behind the last one. */
function withDamaged({ damaged: below = [] }: Range, own: readonly Damage[]): Pick<Range, "damaged"> {
  if (own.length === 0) return below.length === 0 ? {} : { damaged: below };
  const all = [...below, ...own].sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
  return { damaged: all };
}
