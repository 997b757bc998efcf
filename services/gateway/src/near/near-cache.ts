import { loadCatalog } from "@orch/api/catalog.js";
import { createLiveCatalog, type LiveCatalog } from "@orch/api/custom/live-catalog.js";
import { rightsCollections } from "@orch/api/kinds/rbac/rights-collections.js";
import { createFeedStore } from "@orch/feed/feed-store.js";
import { createNaming, type Dialect } from "@orch/naming/naming.js";
import type { FeedOrigin } from "@orch/rpc/feed/messages.js";
import { feedOrigin } from "@orch/rpc/feed/methods.js";
import type { Peers } from "@orch/rpc/group-peers.js";
import { createInProcess } from "@orch/rpc/in-process.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { type Clock, sleep } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { assembleWatchCache } from "@orch/service-watch-cache/assemble.js";
import { watchCacheDefaults } from "@orch/service-watch-cache/config.js";
import { createLargePrinter } from "@orch/service-watch-cache/thread/large-printer.js";
import { messageOf } from "@orch/status/message-of.js";
import { key } from "@orch/store/revision.js";
import { nearGroups } from "./near-groups.js";
import { type Near, nearPeers } from "./near-peers.js";

export interface NearCacheOptions {
  /** Of which API groups objects are kept: "" is the core group, `*` all. */
  readonly groups: readonly string[];
  readonly dialect: Dialect;
  /** `1.32`: which kinds there are. */
  readonly release: string;
  /** Whether there are streaming lists (gate WatchList). */
  readonly streamingLists: boolean;
}

export interface NearCacheDeps {
  /** Of which one serves the feed. */
  readonly caches: Peers;
  /** The gateway's. */
  readonly catalog: LiveCatalog;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** A copy of objects in the gateway's own memory, made of a watch cache's feed. */
export interface NearCache {
  /** Reads of what is here are answered here, others by the watch caches. */
  readonly peers: Peers;
  /** Begins to load; until all is there the watch caches answer everything. */
  start(): void;
  stop(): Promise<void>;
}

const [firstPauseMs, longestPauseMs, askMs] = [100, 2_000, 5_000];

export function createNearCache(options: NearCacheOptions, deps: NearCacheDeps): NearCache {
  const { caches, clock, log } = deps;
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let near: Near | undefined;
  let stopCache = (): Promise<void> => Promise.resolve();

  async function begin(): Promise<void> {
    const source = caches.of(options.groups[0] ?? "*");
    const origin = await askOrigin(source, { clock, log, signal: stopping.signal });
    if (origin === undefined) return;
    const cache = assemble(options, deps, { source, origin });
    stopCache = cache.stop;
    await cache.start();
    await Promise.race([cache.loaded(), aborted(stopping.signal)]);
    if (stopping.signal.aborted) return;
    near = cache.near;
    log.info({ revision: cache.revision() }, "reads are answered by the near cache");
  }

  return {
    peers: nearPeers(caches, options.groups, () => near),
    start() {
      running = begin().catch((err: unknown) => log.error({ err }, "there is no near cache"));
    },
    async stop() {
      stopping.abort();
      near = undefined;
      await running;
      await stopCache();
    },
  };
}

interface Source {
  readonly source: Caller;
  readonly origin: FeedOrigin;
}

function assemble({ groups, dialect, release, streamingLists }: NearCacheOptions, deps: NearCacheDeps, from: Source) {
  const { clock, log, metrics } = deps;
  const { storePrefix, elsewhere } = from.origin;
  const naming = createNaming(dialect, { storePrefix });
  const { services, caller } = createInProcess({ log });
  // Definitions come between the objects before and those after them: the gateway's catalog is kept by another watch.
  const catalog = createLiveCatalog(loadCatalog(naming, { release }));
  const { keeps, prefixes } = nearGroups(groups, catalog.now);
  const shows = prefixes.map((prefix) => key(`${storePrefix}${prefix}`));
  const store = createFeedStore({ caller: from.source, clock, shows });
  const cache = assembleWatchCache(
    { ...watchCacheDefaults, streamingLists, namesBodies: false },
    {
      ...{ store, naming, catalog, services, clock, log, metrics },
      callConversion: () => Promise.reject(new Error("a near cache asks no webhooks")),
      keeps,
      printElsewhere: createLargePrinter({ dialect, release }, log),
    },
  );
  const away = new Set(elsewhere);
  const near: Near = {
    caller,
    hasRights: rightsCollections.every((plural) => {
      const kind = catalog.now.find(naming.group("rbac.authorization"), "v1", plural);
      return kind !== undefined && keeps(kind.storage.prefix);
    }),
    has({ group, version, resource }) {
      if (!cache.status().ready) return false;
      const kind = deps.catalog.now.find(group, version, resource);
      // Versions that a webhook makes are for the watch caches, which know who asks it.
      if (kind === undefined || kind.custom?.webhook !== undefined) return false;
      return away.size === 0 || !away.has(`${storePrefix}${kind.storage.prefix}/`);
    },
  };
  return {
    near,
    start: cache.start,
    loaded: cache.loaded,
    revision: () => cache.status().revision,
    async stop() {
      await cache.stop();
      await store.close();
      await caller.close();
    },
  };
}

interface Asking {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** What the feed is of, once it answers; undefined where that is not waited for any more. */
async function askOrigin(source: Caller, { clock, log, signal }: Asking): Promise<FeedOrigin | undefined> {
  let told = "";
  for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      return await source.call(feedOrigin, {}, { deadlineMs: askMs });
    } catch (error) {
      const why = messageOf(error);
      if (why !== told) log.warn({ why }, "the near cache waits for a watch cache");
      told = why;
      await sleep(clock, pauseMs, signal);
    }
  }
  return undefined;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
