import { createPreciseClock } from "@orch/rpc/clock.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { besidesUnreachable } from "@orch/store/unreachable.js";
import type { WatchCacheConfig } from "./config.js";
import { registerWatchCacheMetrics } from "./metrics.js";
import { createWatchCache, type WatchCache, type WatchCacheDeps } from "./service.js";

/** What differs between a process of its own and one with other services. */
export interface AssemblyDeps
  extends Pick<WatchCacheDeps, "store" | "begun" | "catalog" | "naming" | "services" | "printElsewhere"> {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** A watch cache with its metrics, on the clock and the log of its process. */
export function assembleWatchCache(settings: WatchCacheConfig, deps: AssemblyDeps): WatchCache {
  const { clock, log, metrics, ...rest } = deps;
  const cache = createWatchCache(settings, {
    ...rest,
    log: besidesUnreachable((what, err) => log.error({ err }, what)),
    now: () => clock.monotonic(),
    wallClock: () => clock.now(),
    stamp: createPreciseClock(),
  });
  registerWatchCacheMetrics(metrics, cache);
  return cache;
}
