import { objectOf } from "@orch/history/note-keys.js";
import { changeOf, type NotedChange, newestFirst } from "@orch/history/states.js";
import { isReadable, type Note, type NoteSpace, type UnreadableNote } from "@orch/store/notes.js";
import { createPace } from "@orch/store/pace.js";
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
  /** End with this one. */
  readonly to?: Key | undefined;
  /** Is given the notes of each page that cannot be read, or are no records, which are passed over. */
  readonly unreadable?: (space: NoteSpace, notes: readonly Pick<UnreadableNote, "key" | "revision">[]) => Promise<void>;
}

const pageSize = 500;
/** Of records that are read at once; one more may be as large as an object is. */
const pageBytes = 4 << 20;

/**
 * Every object under a prefix that is there or has left notes, in the order of their keys. The notes of a page of objects are read
 * after them: each change by which one became what it is is among them.
 */
export async function* walkNoted(store: Pick<Store, "range" | "notes">, query: WalkQuery): AsyncGenerator<Noted> {
  let { after } = query;
  for (;;) {
    const from = after === undefined ? {} : { from: key(`${after}\0`) };
    const { entries } = await store.range({ prefix: query.prefix, limit: pageSize, ...from });
    const to = entries.length < pageSize ? undefined : entries.at(-1)?.key;
    yield* walk(store, { ...query, after, to }, entries);
    if (to === undefined) return;
    after = to;
  }
}

/** The same of those that have left notes; what is stored is not read. */
export function walkNotes(store: Pick<Store, "notes">, query: WalkQuery): AsyncGenerator<Noted> {
  return walk(store, query, []);
}

async function* walk(store: Pick<Store, "notes">, query: WalkQuery, entries: readonly Entry[]): AsyncGenerator<Noted> {
  const { to } = query;
  const streams = {
    entries: createStream(itemsOf(entries)),
    states: createStream(notesOf(store, "states", query)),
    deleted: createStream(notesOf(store, "deleted", query)),
  };
  const all = Object.values(streams);
  const pace = createPace();
  for (;;) {
    for (const stream of all) await stream.look();
    const next = leastOf(all.map((stream) => stream.key));
    if (next === undefined || (to !== undefined && isBehind(next, to))) return;
    const [entry] = await streams.entries.take(next);
    const changes = [...(await streams.states.take(next)), ...(await streams.deleted.take(next))];
    yield { key: next, entry, changes: newestFirst(changes) };
    await pace();
  }
}

async function* itemsOf(entries: readonly Entry[]): Items<Entry> {
  for (const entry of entries) yield { key: entry.key, item: entry };
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

async function* notesOf(
  store: Pick<Store, "notes">,
  space: NoteSpace,
  { prefix, after, unreadable }: WalkQuery,
): Items<NotedChange> {
  // Behind all notes of that object, and before those of any other.
  let from = after === undefined ? undefined : key(`${after}\u0001`);
  for (;;) {
    const page = { space, prefix, limit: pageSize, maxBytes: pageBytes };
    const notes = await store.notes.range({ ...page, ...(from === undefined ? {} : { from }) });
    const others: (Note | UnreadableNote)[] = [];
    for (const note of notes) {
      const changes = isReadable(note) ? changeOf(space, note) : [];
      if (changes.length === 0) others.push(note);
      for (const item of changes) yield { key: objectOf(note.key), item };
    }
    if (others.length > 0) await unreadable?.(space, others);
    const last = notes.at(-1);
    if (last === undefined) return;
    from = key(`${last.key}\0`);
  }
}

function leastOf(keys: readonly (Key | undefined)[]): Key | undefined {
  let least: Key | undefined;
  for (const one of keys) {
    if (one !== undefined && (least === undefined || isBehind(least, one))) least = one;
  }
  return least;
}

/** In the order of a store: by bytes. */
function isBehind(one: Key, other: Key): boolean {
  return one !== other && Buffer.compare(Buffer.from(one), Buffer.from(other)) > 0;
}
