import { objectOf } from "@orch/history/note-keys.js";
import { changeOf, type NotedChange, newestFirst } from "@orch/history/states.js";
import { isReadable, type NoteSpace } from "@orch/store/notes.js";
import { type Key, key } from "@orch/store/revision.js";
import type { Entry, Store } from "@orch/store/store.js";

/** What is stored of an object, and what is noted of its changes, newest first. */
export interface Noted {
  readonly key: Key;
  readonly entry: Entry | undefined;
  readonly changes: readonly NotedChange[];
}

interface WalkQuery {
  readonly prefix: Key;
  /** Begin behind this object. */
  readonly after?: Key | undefined;
}

const pageSize = 500;

/** Every object under a prefix that is there or has left notes, in the order of their keys. */
export function walkNoted(store: Pick<Store, "range" | "notes">, query: WalkQuery): AsyncGenerator<Noted> {
  return walk(store, query, entriesOf(store, query));
}

/** The same of those that have left notes; what is stored is not read. */
export function walkNotes(store: Pick<Store, "notes">, query: WalkQuery): AsyncGenerator<Noted> {
  return walk(store, query, nothing());
}

async function* nothing(): Items<Entry> {}

async function* walk(store: Pick<Store, "notes">, query: WalkQuery, entries: Items<Entry>): AsyncGenerator<Noted> {
  const streams = {
    entries: createStream(entries),
    states: createStream(notesOf(store, "states", query)),
    deleted: createStream(notesOf(store, "deleted", query)),
  };
  const all = Object.values(streams);
  for (;;) {
    // What is stored is read before its notes are: no change between can be missed.
    for (const stream of all) await stream.look();
    const next = leastOf(all.map((stream) => stream.key));
    if (next === undefined) return;
    const [entry] = await streams.entries.take(next);
    const changes = [...(await streams.states.take(next)), ...(await streams.deleted.take(next))];
    yield { key: next, entry, changes: newestFirst(changes) };
  }
}

/** Objects and what is known of them, in order. */
type Items<T> = AsyncGenerator<{ readonly key: Key; readonly item: T }>;

interface Stream<T> {
  look(): Promise<void>;
  /** Of the next item; undefined at the end. */
  readonly key: Key | undefined;
  /** All items of an object, where the next one is its. */
  take(of: Key): Promise<readonly T[]>;
}

function createStream<T>(items: Items<T>): Stream<T> {
  let next: { readonly key: Key; readonly item: T } | undefined;
  let looked = false;
  const look = async (): Promise<void> => {
    if (looked) return;
    const step = await items.next();
    next = step.done === true ? undefined : step.value;
    looked = true;
  };
  return {
    look,
    get key() {
      return next?.key;
    },
    async take(of) {
      const taken: T[] = [];
      for (await look(); next !== undefined && next.key === of; await look()) {
        taken.push(next.item);
        looked = false;
      }
      return taken;
    },
  };
}

async function* entriesOf(store: Pick<Store, "range">, { prefix, after }: WalkQuery): Items<Entry> {
  let from = after === undefined ? undefined : key(`${after}\0`);
  for (;;) {
    const { entries } = await store.range({ prefix, limit: pageSize, ...(from === undefined ? {} : { from }) });
    for (const entry of entries) yield { key: entry.key, item: entry };
    const last = entries.at(-1);
    if (last === undefined || entries.length < pageSize) return;
    from = key(`${last.key}\0`);
  }
}

async function* notesOf(
  store: Pick<Store, "notes">,
  space: NoteSpace,
  { prefix, after }: WalkQuery,
): Items<NotedChange> {
  let from = after;
  for (;;) {
    const notes = await store.notes.range({ space, prefix, limit: pageSize, ...(from === undefined ? {} : { from }) });
    for (const note of notes) {
      const of = objectOf(note.key);
      if (after !== undefined && of === after) continue;
      if (isReadable(note)) for (const item of changeOf(space, note)) yield { key: of, item };
    }
    const last = notes.at(-1);
    if (last === undefined || notes.length < pageSize) return;
    from = key(`${last.key}\0`);
  }
}

function leastOf(keys: readonly (Key | undefined)[]): Key | undefined {
  let least: Key | undefined;
  for (const one of keys) {
    if (one !== undefined && (least === undefined || Buffer.compare(Buffer.from(one), Buffer.from(least)) < 0))
      least = one;
  }
  return least;
}
