import { type Damage, DamagedEntry } from "./damaged-entry.js";
import { isReadable, type Note, type Notes, type UnreadableNote } from "./notes.js";
import { ownMemory } from "./own-memory.js";
import { createPace } from "./pace.js";
import type { Key } from "./revision.js";
import type { Entry, Range, Store, StoreEvent, WatchItem } from "./store.js";

/**
 * What stands between a value and the bytes that are stored of it. Neither function may write to its argument, which
 * others read; what they throw fails the call (a key that is not at hand, for one), and says nothing of the entry. They
 * answer at once, except where a key must be fetched first.
 */
export interface Transformer {
  /** The bytes to store; the key is theirs, so that they may be bound to it. */
  seal(value: Buffer, key: Key): Buffer | Promise<Buffer>;
  open(stored: Buffer, key: Key): Opened | Promise<Opened>;
}

export type Opened =
  /** `stale`: not as `seal` would make it now (see Entry). */
  | { readonly type: "value"; readonly value: Buffer; readonly stale?: boolean }
  /** The stored bytes are nothing that this transformer ever made, or not any more. */
  | { readonly type: "damaged"; readonly why: string; readonly sealed?: true };

/**
 * A Store whose values pass through a transformer on their way to another one and back. An entry that cannot be opened
 * is a damaged one, as where the medium damaged it. Revisions, order and proofs are those of the store below.
 */
export function transformed(store: Store, transformer: Transformer): Store {
  const read = (entry: Entry, opened: Opened, lent: boolean): Entry | Damage => {
    const { key, revision } = entry;
    if (opened.type === "damaged") {
      return { key, revision, why: opened.why, ...(opened.sealed === true ? { sealed: true } : {}) };
    }
    const value = lent ? opened.value : ownMemory(opened.value);
    return { ...entry, value, ...(opened.stale === true ? { stale: true } : {}) };
  };
  const open = (entry: Entry, lent: boolean): Entry | Damage | Promise<Entry | Damage> => {
    const opened = transformer.open(entry.value, entry.key);
    return opened instanceof Promise ? opened.then((late) => read(entry, late, lent)) : read(entry, opened, lent);
  };
  const orThrow = async (entry: Entry): Promise<Entry> => {
    const opened = await open(entry, false);
    if (isDamage(opened)) throw new DamagedEntry(opened);
    return opened;
  };

  const joined = (event: Exclude<StoreEvent, { type: "damaged" }>, parts: EventParts): StoreEvent => {
    const { before, entry } = parts;
    const previous = before === undefined || isDamage(before) ? undefined : before;
    if (event.type === "delete") return { ...event, previous };
    if (entry === undefined || isDamage(entry)) return { type: "damaged", ...(entry ?? unknownDamage(event.entry)) };
    return { type: "put", entry, previous };
  };
  const openEvent = (event: StoreEvent): StoreEvent | Promise<StoreEvent> => {
    if (event.type === "damaged") return event;
    const before = event.previous && open(event.previous, false);
    const entry = event.type === "put" ? open(event.entry, false) : undefined;
    if (!(before instanceof Promise) && !(entry instanceof Promise)) return joined(event, { before, entry });
    return Promise.all([before, entry]).then(([before, entry]) => joined(event, { before, entry }));
  };
  async function* openItems(items: AsyncIterable<WatchItem>): AsyncGenerator<WatchItem> {
    for await (const item of items) {
      if (item.type !== "events") {
        yield item;
        continue;
      }
      const events = item.events.map(openEvent);
      // A turn of the loop for each batch would be felt by every watch.
      yield { type: "events", events: events.every(isHere) ? events : await Promise.all(events) };
    }
  }

  return {
    ...store,
    async get(key) {
      const entry = await store.get(key);
      return entry && (await orThrow(entry));
    },
    async range(query) {
      const range = await store.range(query);
      const all: (Entry | Damage | Promise<Entry | Damage>)[] = [];
      const pace = createPace();
      for (const entry of range.entries) {
        all.push(open(entry, query.lent === true));
        const pause = pace();
        if (pause !== undefined) await pause;
      }
      const entries: Entry[] = [];
      const damaged: Damage[] = [];
      for (const opened of all.every(isHere) ? all : await Promise.all(all)) {
        if (!isDamage(opened)) entries.push(opened);
        else if (query.damaged === undefined) throw new DamagedEntry(opened, undefined, "range");
        else damaged.push(opened);
      }
      return { ...range, entries, ...withDamaged(range, damaged) };
    },
    async swap(change) {
      const { key, value } = change;
      const sealing = value && transformer.seal(value, key);
      const sealed = sealing instanceof Promise ? await sealing : sealing;
      const note = change.note && { ...change.note, value: await transformer.seal(change.note.value, change.note.key) };
      const swap = await store.swap({ ...change, value: sealed, note });
      if (swap.done || swap.current === undefined) return swap;
      return { done: false, current: await orThrow(swap.current) };
    },
    watch: (query) => openItems(store.watch(query)),
    notes: openNotes(store.notes, transformer),
  };
}

function openNotes(notes: Notes, transformer: Transformer): Notes {
  const open = async (note: Note | UnreadableNote): Promise<Note | UnreadableNote> => {
    if (!isReadable(note)) return note;
    const { key, revision, value } = note;
    const opened = await transformer.open(value, key);
    if (opened.type === "damaged") return { key, revision, why: opened.why };
    return { key, revision, value: opened.value, ...(opened.stale === true ? { stale: true } : {}) };
  };
  const seal = async (note: Note): Promise<Note> => ({
    ...note,
    value: await transformer.seal(note.value, note.key),
  });
  return {
    ...notes,
    range: async (query) => Promise.all((await notes.range(query)).map(open)),
    rewrite: async (space, some) => notes.rewrite(space, await Promise.all(some.map(seal))),
  };
}

interface EventParts {
  readonly before: Entry | Damage | undefined;
  readonly entry: Entry | Damage | undefined;
}

const unknownDamage = ({ key, revision }: Entry): Damage => ({ key, revision, why: "it was not opened" });

function isHere<T>(value: T | Promise<T>): value is T {
  return !(value instanceof Promise);
}

const isDamage = (opened: Entry | Damage): opened is Damage => "why" in opened;

/** Both stores' damages, in key order: whoever reads by pages goes on behind the last one. */
function withDamaged({ damaged: below = [] }: Range, own: readonly Damage[]): Pick<Range, "damaged"> {
  if (own.length === 0) return below.length === 0 ? {} : { damaged: below };
  const all = [...below, ...own].sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
  return { damaged: all };
}
