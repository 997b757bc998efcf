import { randomBytes, randomUUID } from "node:crypto";
import { type CallWebhook, type ConversionObserver, createConverter } from "@orch/api/custom/convert.js";
import type { LiveCatalog } from "@orch/api/custom/live-catalog.js";
import { createReadIndex } from "@orch/cache/read-index.js";
import type { Tap } from "@orch/feed/tap.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Chunk, GetRequest, ListRequest, ObjectReply, StatusReply, WatchRequest } from "@orch/rpc/messages.js";
import { watchCacheGet, watchCacheList, watchCacheStatus, watchCacheWatch } from "@orch/rpc/methods.js";
import { createPacer } from "@orch/rpc/pacer.js";
import type { Services, StreamHandler, UnaryHandler } from "@orch/rpc/rpc.js";
import { ApiError, unavailable, unknownPath } from "@orch/status/api-error.js";
import { key, type Revision, revision } from "@orch/store/revision.js";
import type { Range, Store } from "@orch/store/store.js";
import { createTokenKey } from "@orch/store/token-key.js";
import type { CacheTold } from "./cache-metrics.js";
import type { WatchCacheConfig } from "./config.js";
import { definitionFeed, followCatalog, noDefinitions } from "./definitions.js";
import { createFreshness } from "./freshness.js";
import { get } from "./get.js";
import { createInitialFrames } from "./initial-frames.js";
import type { ListDeps } from "./list/list.js";
import { createListStream } from "./list/list-stream.js";
import { createRefuseBehind } from "./list/rights-behind.js";
import { createMirror } from "./mirror/mirror.js";
import { unreadable } from "./mirror/unreadable.js";
import { type Asked, createReadables } from "./readable.js";
import { createRenditions } from "./renditions/renditions.js";
import { createSorted } from "./sort/sorted.js";
import type { PrintElsewhere } from "./thread/large-printer.js";
import { createChunkOf, type OpenWatch, type WatchDeps, watch } from "./watch.js";

export interface WatchCacheDeps {
  readonly store: Store;
  /** Everything in the store, where reading it has begun already: see `snapshot`. */
  readonly begun?: AsyncIterable<Range> | undefined;
  readonly catalog: LiveCatalog;
  /** Of which storage prefixes objects are kept; of all where absent. */
  readonly keeps?: ((storagePrefix: string) => boolean) | undefined;
  /** Where others follow what this cache follows. */
  readonly tap?: Tap | undefined;
  /** Kept by another cache, whose store has the definitions; kept by this one where absent. */
  readonly catalogIsKept?: boolean;
  readonly naming: Naming;
  /** Asks the webhooks of definitions to convert. */
  readonly callConversion: CallWebhook;
  readonly log: (what: string, error: unknown) => void;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
  /** The same with fractions, for what other processes are told: when an event was committed. */
  readonly stamp: () => number;
  /** Makes answers of large objects in other forms than their stored one; they are made here where absent. */
  readonly printElsewhere?: PrintElsewhere | undefined;
  /** For metrics. */
  readonly told?: CacheTold | undefined;
  readonly conversionObserver?: ConversionObserver | undefined;
}

/** For metrics. */
export interface Counters {
  readonly watchers: number;
  /** Reads of the newest revision that the store was asked for, and the consistent reads that they served. */
  readonly roundTrips: number;
  readonly consistentReads: number;
  /** Objects that are stored and cannot be read. */
  readonly unreadable: number;
  /** Objects under a storage prefix. */
  objects(storagePrefix: string): number;
  /** The newest revision that is shown of what is under it. */
  revision(storagePrefix: string): number;
}

/** What a watch cache is asked. */
export interface Reads {
  readonly get: UnaryHandler<GetRequest, ObjectReply>;
  readonly list: StreamHandler<ListRequest, Chunk>;
  readonly watch: StreamHandler<WatchRequest, Chunk>;
}

export interface WatchCache {
  readonly reads: Reads;
  start(): Promise<void>;
  /** Ends the watches with a last bookmark, then stops following the store. */
  stop(): Promise<void>;
  status(): StatusReply;
  /** Settles once everything that is stored is in memory. */
  loaded(): Promise<void>;
  /** The newest revision of the store. @throws ApiError ServiceUnavailable while no consistent read can be answered */
  newest(): Promise<Revision>;
  readonly counters: Counters;
}

/** How long a mirror that receives nothing may be behind; how long a consistent read waits for the store's revision. */
const [stallMs, storeMs] = [150, 5000];

/** Bytes of objects that are made into other forms in one turn of the event loop, for lists and watches together. */
const madeInTurn = 128 * 1024;

/** Bytes of events of first states that are kept while several are told them. */
const initialBytes = 64 * 1024 * 1024;

/** Lets others ask a watch cache. */
export function serveReads(services: Services, { reads, status }: Pick<WatchCache, "reads" | "status">): void {
  services.unary(watchCacheGet, reads.get);
  services.stream(watchCacheList, reads.list);
  services.stream(watchCacheWatch, reads.watch);
  services.unary(watchCacheStatus, status);
}

/** Follows the store and answers get, list and watch from memory. */
export function createWatchCache(config: WatchCacheConfig, deps: WatchCacheDeps): WatchCache {
  const { store, naming } = deps;
  const readables = createReadables(deps.catalog, naming.storePrefix, deps.keeps);
  const renditions = createRenditions({
    catalog: deps.catalog.builtIn,
    metaGroup: naming.metaGroup,
    wallClock: deps.wallClock,
    hotBytes: config.hotBytes,
    printElsewhere: deps.printElsewhere,
    convert: createConverter({
      group: naming.group("apiextensions"),
      call: deps.callConversion,
      newUid: randomUUID,
      observer: deps.conversionObserver,
    }),
  });
  const mirror = createMirror({
    store,
    begun: deps.begun,
    prefix: key(naming.storePrefix),
    readables,
    definitions: deps.catalogIsKept === true ? noDefinitions : definitionFeed(deps.catalog),
    history: { keepMs: config.historyMs, maxBytes: config.historyBytes, now: deps.now },
    stamp: deps.stamp,
    onError: deps.log,
    changed: deps.told?.changed,
    tap: deps.tap,
  });
  const readIndex = createReadIndex({
    fetch: async () => {
      const check = mirror.expectNoLess();
      const newest = await store.revision();
      check(newest);
      return newest;
    },
    patienceMs: storeMs,
    late: () => unavailable("the store does not answer"),
  });
  const freshness = createFreshness(mirror, readIndex, { waitMs: config.waitMs, stallMs });
  const tokenKey = createTokenKey({ store, storePrefix: naming.storePrefix, random: randomBytes });
  const pacer = createPacer(setImmediate, madeInTurn);
  const sorted = createSorted(pacer);
  const reads: ListDeps = {
    ...{ mirror, store, freshness, tokenKey, sorted, metaGroup: naming.metaGroup, told: deps.told },
    refuseBehind: createRefuseBehind(mirror, naming, deps.catalog.builtIn),
  };
  const open = new Set<OpenWatch>();
  const later = (ms: number, run: () => void): (() => void) => {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  };
  const watches: WatchDeps = {
    ...reads,
    pacer,
    initial: createInitialFrames(initialBytes, later),
    open,
    initialEventsEnd: naming.initialEventsEnd,
    emptyList: naming.key("initial-events-list-blueprint"),
    streamingLists: config.streamingLists,
    maxPendingBytes: config.maxPendingBytes,
    chunkOf: createChunkOf(),
    placedChunkOf: createChunkOf({ placed: true }),
  };

  const status = (): StatusReply => ({
    ready: mirror.loaded,
    revision: mirror.gate.revision,
    message: mirror.loaded ? "" : "not loaded yet",
    unfinished: [],
  });

  const ask = (request: GetRequest | ListRequest | WatchRequest): Asked | undefined => {
    const readable = readables.of(request);
    const subresource = "subresource" in request ? request.subresource : "";
    return readable && { readable, rendition: renditions.of(readable.kind, request.form, subresource) };
  };
  /** Of a kind that the gateway knows and this cache perhaps not yet. @throws ApiError NotFound */
  const askLater = async (request: GetRequest | ListRequest | WatchRequest): Promise<Asked> => {
    await freshness.source({ type: "mostRecent" });
    const asked = ask(request);
    if (asked === undefined) throw unknownPath();
    return asked;
  };
  const serveGet: Reads["get"] = (request, { span }) => {
    const asked = ask(request);
    return asked === undefined
      ? askLater(request).then((late) => get(reads, late, { request, span }))
      : get(reads, asked, { request, span });
  };
  let stopped = false;
  const serveWatch: Reads["watch"] = (request, sender) => {
    const begin = (asked: Asked): void => {
      if (stopped) throw unavailable("the watch cache is shutting down");
      watch(watches, asked, { request, sender });
    };
    const asked = ask(request);
    if (asked !== undefined) return begin(asked);
    askLater(request)
      .then(begin)
      .catch((error: unknown) => sender.end(ApiError.from(error)));
  };
  const lists = createListStream({ ...reads, pacer }, config);
  const serveList: Reads["list"] = (request, sender) => {
    const failed = (error: unknown): void => sender.end(ApiError.from(error));
    const asked = ask(request);
    const sent =
      asked === undefined
        ? askLater(request).then((late) => lists.send(late, { request, sender }))
        : lists.send(asked, { request, sender });
    sent.catch(failed);
  };

  followCatalog(deps.catalog, mirror, open);
  mirror.onReset(() => {
    renditions.forget();
    lists.forget();
    sorted.forget();
    tokenKey.forget();
    for (const opened of [...open]) opened.expire();
  });

  mirror.onUnreadable((storagePrefix, key, damage) => {
    deps.told?.unreadable(storagePrefix);
    lists.forget();
    for (const opened of [...open]) opened.lose(storagePrefix, key, unreadable([damage]));
  });

  const abort = new AbortController();
  let running: Promise<void> | undefined;
  let bookmarks: NodeJS.Timeout | undefined;
  let checks: NodeJS.Timeout | undefined;
  let readsBefore = 0;
  const check = (): void => {
    // That the store is away is for those to tell who read.
    if (readIndex.reads === readsBefore && mirror.loaded) void readIndex.current().catch(() => {});
    readsBefore = readIndex.reads;
  };

  return {
    reads: { get: serveGet, list: serveList, watch: serveWatch },
    async start() {
      running = mirror.run(abort.signal);
      // Here already, so that no list waits for it; where the store is away the first list asks again.
      void tokenKey.get().catch(() => {});
      bookmarks = setInterval(() => {
        for (const opened of open) opened.bookmark();
      }, config.bookmarkMs);
      checks = setInterval(check, config.checkMs);
    },
    async stop() {
      stopped = true;
      clearInterval(bookmarks);
      clearInterval(checks);
      for (const opened of [...open]) opened.finish();
      abort.abort();
      await running;
    },
    status,
    loaded: () => mirror.whenLoaded(),
    newest: () => readIndex.current().then(revision),
    counters: {
      get watchers() {
        return open.size;
      },
      get unreadable() {
        return mirror.unreadable;
      },
      objects: (storagePrefix) => mirror.shelf(storagePrefix).collection.count({ type: "all" }),
      revision: () => mirror.gate.revision,
      get roundTrips() {
        return readIndex.trips;
      },
      get consistentReads() {
        return readIndex.reads;
      },
    },
  };
}
