import assert from "node:assert/strict";
import { type Key, key, type Revision, revision } from "../revision.js";
import type { Entry, Proof, Store, StoreEvent, WatchItem } from "../store.js";

/** A small language for tests of a Store: text values, keys under one prefix, answers that must succeed. */
export interface Drive {
  readonly store: Store;
  readonly prefix: Key;
  key(name: string): Key;
  /** Writes; the swap must be done. */
  put(name: string, expected: number, text: string): Promise<Revision>;
  remove(name: string, expected: number): Promise<Revision>;
  /** The names under the prefix with their texts, `a=1 b=2`. */
  list(at?: Revision): Promise<string>;
}

export function drive(store: Store, prefix: string): Drive {
  const name = (entry: Entry): string => entry.key.slice(prefix.length);
  const done = async (change: { name: string; expected: number; value: Buffer | undefined }): Promise<Revision> => {
    const { expected, value } = change;
    const swap = await store.swap({ key: key(prefix + change.name), expected: revision(expected), value });
    assert.ok(swap.done, `the swap of ${change.name} expecting ${expected} was refused`);
    return swap.revision;
  };
  return {
    store,
    prefix: key(prefix),
    key: (name) => key(prefix + name),
    put: (name, expected, text) => done({ name, expected, value: Buffer.from(text) }),
    remove: (name, expected) => done({ name, expected, value: undefined }),
    async list(at) {
      const { entries } = await store.range({ prefix: key(prefix), ...(at === undefined ? {} : { at }) });
      return entries.map((entry) => `${name(entry)}=${entry.value.toString()}`).join(" ");
    },
  };
}

export function revisionOf(event: StoreEvent): Revision {
  return event.type === "put" ? event.entry.revision : event.revision;
}

/** An event in a line: `+a@5=1` created, `~a@6=2 (1)` changed, `-a@7 (2)` deleted, `!a@8` damaged; revisions as given by `show`. */
export function line(
  event: StoreEvent,
  prefix: string,
  show: (revision: Revision) => string | number = (r) => r,
): string {
  if (event.type === "damaged") return `!${event.key?.slice(prefix.length) ?? ""}@${show(event.revision)}`;
  if (event.type === "delete") {
    return `-${event.key.slice(prefix.length)}@${show(event.revision)} (${event.previous?.value.toString()})`;
  }
  const { entry, previous } = event;
  const text = `${entry.key.slice(prefix.length)}@${show(entry.revision)}=${entry.value.toString()}`;
  return previous === undefined ? `+${text}` : `~${text} (${previous.value.toString()})`;
}

export interface Follow {
  readonly prefix: string;
  readonly from: Revision;
  readonly known?: Proof;
  /** Stop at so many events; a watch that does not bring them within `patienceMs` fails the test. */
  readonly count: number;
  readonly patienceMs?: number;
  /** Called after each item; a slow consumer is an async function. */
  readonly each?: (item: WatchItem) => void | Promise<void>;
}

/** Exactly `count` events of a watch (more only where the last batch held more). */
export async function follow(
  store: Store,
  { count, patienceMs = 30_000, each, ...watched }: Follow,
): Promise<StoreEvent[]> {
  const enough = new AbortController();
  const patience = AbortSignal.timeout(patienceMs);
  const signal = AbortSignal.any([enough.signal, patience]);
  const events: StoreEvent[] = [];
  for await (const item of store.watch({ ...watched, prefix: key(watched.prefix), signal })) {
    if (item.type === "events") events.push(...item.events);
    await each?.(item);
    if (events.length >= count) enough.abort();
  }
  assert.ok(!patience.aborted, `the watch brought ${events.length} of ${count} events in ${patienceMs} ms`);
  return events;
}
