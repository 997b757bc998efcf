import { expired } from "@orch/status/api-error.js";
import { revision } from "../revision.js";
import type { StoreEvent, WatchItem } from "../store.js";
import { isOwn } from "./layout.js";
import { type EtcdEvent, eventType, toNumber, type WatchResponse } from "./methods.js";
import { type Trace, traceOfEvent } from "./proof.js";
import { keyOf, toEntry } from "./values.js";

/** Turns one stream's responses into items: each revision once, in order, the store's own keys left out. */
export interface ResponseReader {
  /** The items of a response; throws Expired when history is gone, and an Error that ends the stream otherwise. */
  items(response: WatchResponse): readonly WatchItem[];
  /** Where a new stream has to go on. */
  next(): number;
  /** How the event that was told last left its key, or what is known from before; undefined where there is none. */
  last(): Trace | undefined;
  /** Begins a new stream: what the old one left unfinished will come again. */
  restart(): void;
}

/** `known`: how a key was left before, where that is known. */
export function createResponseReader(prefix: string, from: number, known?: Trace): ResponseReader {
  let next = from;
  /** The last revision of a fragment may go on in the next one: it is told only when it is whole. */
  let held: readonly EtcdEvent[] = [];
  let told: EtcdEvent | undefined;

  function takeWhole(response: WatchResponse): readonly EtcdEvent[] {
    const events = [...held, ...(response.events ?? [])];
    if (response.fragment !== true) {
      held = [];
      return events;
    }
    const last = modRevision(events.at(-1));
    const firstOfLast = events.findIndex((event) => modRevision(event) === last);
    held = events.slice(firstOfLast);
    return events.slice(0, firstOfLast);
  }

  function eventItems(events: readonly EtcdEvent[]): readonly WatchItem[] {
    const fresh = events.filter((event) => modRevision(event) >= next);
    const last = fresh.at(-1);
    if (last === undefined) return [];
    next = modRevision(last) + 1;
    told = last;
    const shown = fresh.filter((event) => !isOwn(prefix, keyOf(event.kv ?? {})));
    const items: WatchItem[] = [];
    if (shown.length > 0) items.push({ type: "events", events: shown.map(toEvent) });
    // A key of our own moved the revision; its event says that everything before it was delivered.
    if (shown.at(-1) !== last) items.push({ type: "progress", revision: revision(next - 1) });
    return items;
  }

  return {
    next: () => next,
    last: () => (told === undefined ? known : traceOfEvent(told)),
    restart() {
      held = [];
    },
    items(response) {
      if (response.canceled === true) throw cancellation(response, next);
      if (response.created === true) return [];
      if ((response.events?.length ?? 0) > 0 || held.length > 0) return eventItems(takeWhole(response));
      const reached = toNumber(response.header?.revision);
      if (reached < next) return [];
      next = reached + 1;
      return [{ type: "progress", revision: revision(reached) }];
    },
  };
}

const modRevision = (event: EtcdEvent | undefined): number => toNumber(event?.kv?.modRevision);

function cancellation(response: WatchResponse, next: number): Error {
  const compacted = toNumber(response.compactRevision);
  if (compacted > 0)
    return expired(`changes from revision ${next} on were compacted; the oldest state is ${compacted}`);
  return new Error(`the store canceled the watch: ${response.cancelReason ?? ""}`);
}

/**
 * etcd leaves the previous state out when it was compacted before the event was sent. The event is
 * then not whole, and the watch has fallen out of history: Expired.
 */
function toEvent(event: EtcdEvent): StoreEvent {
  const kv = event.kv ?? {};
  const at = revision(toNumber(kv.modRevision));
  const previous = event.prevKv === null || event.prevKv === undefined ? undefined : toEntry(event.prevKv);
  const gone = (): Error => expired(`the state before revision ${at} was compacted`);
  if (event.type === eventType.DELETE) {
    if (previous === undefined) throw gone();
    return { type: "delete", key: previous.key, revision: at, previous };
  }
  if (previous === undefined && toNumber(kv.createRevision) !== at) throw gone();
  return { type: "put", entry: toEntry(kv), previous };
}
