import { tellStoredKinds } from "@orch/api/custom/live-catalog.js";
import { serveFeed } from "@orch/feed/serve-feed.js";
import { createTap } from "@orch/feed/tap.js";
import { createPreciseClock } from "@orch/rpc/clock.js";
import type { Services } from "@orch/rpc/rpc.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import type { StorePart } from "@orch/store/parted-store.js";
import { besidesUnreachable } from "@orch/store/unreachable.js";
import { createCacheMetrics } from "./cache-metrics.js";
import type { WatchCacheConfig } from "./config.js";
import { registerWatchCacheMetrics } from "./metrics.js";
import { joinCaches } from "./parts.js";
import { createWatchCache, serveReads, type WatchCache, type WatchCacheDeps } from "./service.js";

/** What differs between a process of its own and one with other services. */
export interface AssemblyDeps
  extends Pick<
    WatchCacheDeps,
    "store" | "begun" | "catalog" | "naming" | "callConversion" | "conversionObserver" | "printElsewhere" | "keeps"
  > {
  readonly services: Services;
  /** Further stores, and what is kept there instead. */
  readonly parts?: readonly StorePart[];
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Changes that are kept for near caches which come back, while there are some. */
const kept = { maxBytes: 16 * 1024 * 1024, idleMs: 60_000 };

/** A watch cache with its metrics, on the clock and the log of its process. */
export function assembleWatchCache(settings: WatchCacheConfig, deps: AssemblyDeps): WatchCache {
  const { clock, log, metrics, services, parts = [], ...rest } = deps;
  const told = createCacheMetrics(metrics, {
    now: () => clock.monotonic(),
    count: (storagePrefix) => cache.counters.objects(storagePrefix),
    revision: (storagePrefix) => cache.counters.revision(storagePrefix),
  });
  tellStoredKinds(deps.catalog, told);
  const shared = {
    ...rest,
    told,
    log: besidesUnreachable((what, err) => log.error({ err }, what)),
    now: () => clock.monotonic(),
    wallClock: () => clock.now(),
    stamp: createPreciseClock(),
  };
  const tap = createTap({ ...kept, now: shared.now });
  const cache = joinCaches(
    createWatchCache(settings, { ...shared, tap }),
    parts.map(({ prefixes, store }) => ({
      prefixes,
      cache: createWatchCache(settings, { ...shared, store, begun: undefined, catalogIsKept: true }),
    })),
    { catalog: deps.catalog, storePrefix: deps.naming.storePrefix },
  );
  serveReads(services, cache);
  const { store, naming } = deps;
  const elsewhere = parts.flatMap(({ prefixes }) => prefixes);
  serveFeed(services, { store, storePrefix: naming.storePrefix, elsewhere, tap, newest: cache.newest });
  registerWatchCacheMetrics(metrics, cache);
  return cache;
}
