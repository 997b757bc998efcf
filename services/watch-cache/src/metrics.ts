import type { Metrics } from "@orch/runtime/metrics.js";
import type { WatchCache } from "./service.js";

/** The service's metrics, read when they are scraped. */
export function registerWatchCacheMetrics(metrics: Metrics, cache: WatchCache): void {
  metrics.observed(
    { name: "orch_watch_cache_watchers", help: "Watches that are open.", stability: "ALPHA" },
    () => cache.counters.watchers,
  );
  metrics.observed(
    {
      name: "orch_watch_cache_store_round_trips",
      help: "Linearizable revision reads made for consistent reads.",
      stability: "ALPHA",
    },
    () => cache.counters.roundTrips,
  );
  metrics.observed(
    { name: "orch_watch_cache_revision", help: "Newest store revision that the cache shows.", stability: "ALPHA" },
    () => cache.status().revision,
  );
}
