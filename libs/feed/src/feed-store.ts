import type { FeedDamage, FeedEntry, FeedEvent, FeedItem, FeedLeft, FeedRange } from "@orch/rpc/feed/messages.js";
import { feedGet, feedRange, feedRevision, feedWatch } from "@orch/rpc/feed/methods.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { ApiError, unavailable } from "@orch/status/api-error.js";
import { type Clock, sleep } from "@orch/status/clock.js";
import type { Damage } from "@orch/store/damaged-entry.js";
import { type Key, key, revision } from "@orch/store/revision.js";
import { StoreSetBack } from "@orch/store/set-back.js";
import type { Entry, Range, RangeQuery, Store, StoreEvent, WatchItem, WatchQuery } from "@orch/store/store.js";
import { revisionOf } from "./feed-event.js";
import { leftBy } from "./left.js";
import { rangeOfParts } from "./parts.js";
import { receive } from "./receive.js";

export interface FeedStoreDeps {
  readonly caller: Caller;
  readonly clock: Clock;
  /** Milliseconds that an answer may take. */
  readonly deadlineMs?: number;
  /** Only keys that begin with one of these, of which none begins another; all where there are none. */
  readonly shows?: readonly Key[];
}

const defaultDeadlineMs = 10_000;
const [firstPauseMs, longestPauseMs] = [20, 2_000];

/** The read half of a store that is reached by its feed. Writes are refused: they go to who owns the store. */
export function createFeedStore({ caller, clock, deadlineMs = defaultDeadlineMs, shows = [] }: FeedStoreDeps): Store {
  const closing = new AbortController();
  const refused = (): Promise<never> => Promise.reject(unavailable("a feed of a store only reads"));
  const open = (): void => {
    if (closing.signal.aborted) throw unavailable("the feed of the store is closed");
  };
  return {
    async revision() {
      open();
      return revision((await caller.call(feedRevision, {}, { deadlineMs })).revision);
    },
    async get(at) {
      open();
      const { entries } = await caller.call(feedGet, { key: at }, { deadlineMs });
      const [entry] = entries;
      return entry === undefined ? undefined : ownEntry(entry);
    },
    async range(query) {
      open();
      const ask = (part: RangeQuery) => range((request) => caller.call(feedRange, request, { deadlineMs }), part);
      const parts = shows.filter((prefix) => prefix !== query.prefix && prefix.startsWith(query.prefix));
      return parts.length === 0 ? ask(query) : rangeOfParts(ask, parts, query);
    },
    swap: refused,
    notes: { range: refused, count: refused, rewrite: refused, remove: refused },
    watch: (query) =>
      watch({ caller, clock, shows }, { ...query, signal: AbortSignal.any([query.signal, closing.signal]) }),
    compact: refused,
    close() {
      closing.abort();
      return Promise.resolve();
    },
  };
}

type AskRange = (request: Parameters<typeof feedRange.request.encode>[0]) => Promise<FeedRange>;

/** One answer may hold less than was asked for: the rest is asked for then. */
async function range(ask: AskRange, query: RangeQuery): Promise<Range> {
  const entryOf = query.lent === true ? lentEntry : ownEntry;
  const wanted = query.limit ?? Number.POSITIVE_INFINITY;
  const told = { damaged: query.damaged === "told", prove: query.prove !== undefined };
  const first = await ask({
    prefix: query.prefix,
    from: query.from ?? "",
    limit: query.limit ?? 0,
    at: query.at ?? 0,
    ...told,
  });
  const entries = first.entries.map(entryOf);
  const damaged = first.damaged.map(damageOf);
  let proof = first.proof;
  for (let page = first; entries.length + damaged.length < Math.min(wanted, first.count); ) {
    const last = lastKey(page);
    if (last === undefined) break;
    const limit = query.limit === undefined ? 0 : wanted - entries.length;
    page = await ask({ prefix: query.prefix, from: `${last}\0`, limit, at: first.revision, ...told });
    for (const entry of page.entries) entries.push(entryOf(entry));
    for (const damage of page.damaged) damaged.push(damageOf(damage));
    if (page.proof !== undefined && (proof === undefined || page.proof.revision > proof.revision)) proof = page.proof;
  }
  return {
    entries,
    revision: revision(first.revision),
    count: first.count,
    ...(damaged.length > 0 ? { damaged } : {}),
    ...(proof === undefined ? {} : { proof: { ...proof, key: key(proof.key), revision: revision(proof.revision) } }),
  };
}

function lastKey({ entries, damaged }: FeedRange): string | undefined {
  const [a, b] = [entries.at(-1)?.key, damaged.at(-1)?.key];
  if (a === undefined || b === undefined) return a ?? b;
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) > 0 ? a : b;
}

const damageOf = (damage: FeedDamage): Damage => ({
  ...damage,
  key: key(damage.key),
  revision: revision(damage.revision),
});

function lentEntry({ key: at, value, revision: written, created, stale }: FeedEntry): Entry {
  return {
    key: key(at),
    value,
    revision: revision(written),
    created: revision(created),
    ...(stale === undefined ? {} : { stale }),
  };
}

/** In memory of its own. */
function ownEntry(entry: FeedEntry): Entry {
  const value = Buffer.allocUnsafeSlow(entry.value.length);
  entry.value.copy(value);
  return lentEntry({ ...entry, value });
}

function eventOf(event: FeedEvent): StoreEvent {
  switch (event.type) {
    case "put":
      return { type: "put", entry: ownEntry(event.entry), previous: event.previous && ownEntry(event.previous) };
    case "delete":
      return {
        type: "delete",
        key: key(event.key),
        revision: revision(event.revision),
        previous: event.previous && ownEntry(event.previous),
      };
    case "damaged":
      return {
        ...event,
        key: event.key === undefined ? undefined : key(event.key),
        revision: revision(event.revision),
      };
  }
}

/** Over as many streams as it takes: each goes on behind the last change that was told. */
async function* watch(
  deps: Required<Pick<FeedStoreDeps, "caller" | "clock" | "shows">>,
  query: WatchQuery,
): AsyncGenerator<WatchItem> {
  const { signal, prefix, known } = query;
  const { shows } = deps;
  let next: number = query.from;
  let last: FeedEvent | undefined;
  for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    const before = next;
    const left: FeedLeft | undefined = last && leftBy(last);
    const request = { prefix, from: next, shows, ...(left === undefined ? { known } : { last: left }) };
    try {
      for await (const item of receive(deps.caller, feedWatch, request, signal)) {
        if (signal.aborted) return;
        if (item.type === "setBack") throw new StoreSetBack(item.why);
        const told = fresh(item, next);
        if (told === undefined) continue;
        if (told.type === "progress") next = told.revision + 1;
        else {
          last = told.events.at(-1);
          next = last === undefined ? next : revisionOf(last) + 1;
        }
        yield told.type === "progress"
          ? { type: "progress", revision: revision(told.revision) }
          : { type: "events", events: told.events.map(eventOf) };
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.reason === "Expired") throw error;
      // That the feed is away is told by whoever reads; it is tried again.
    }
    if (next > before) pauseMs = firstPauseMs;
    await sleep(deps.clock, pauseMs, signal);
  }
}

/** What of an item is not told yet; a feed may begin with changes from before. */
function fresh(item: Exclude<FeedItem, { type: "setBack" }>, next: number): typeof item | undefined {
  if (item.type === "progress") return item.revision < next ? undefined : item;
  const [first] = item.events;
  if (first !== undefined && revisionOf(first) >= next) return item;
  const events = item.events.filter((event) => revisionOf(event) >= next);
  return events.length === 0 ? undefined : { type: "events", events };
}
