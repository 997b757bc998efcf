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
      name: "orch_watch_cache_read_index_round_trips_total",
      help: "Linearizable reads of the store's revision that were made for consistent reads.",
      stability: "ALPHA",
      type: "counter",
    },
    () => cache.counters.roundTrips,
  );
  metrics.observed(
    {
      name: "orch_watch_cache_consistent_reads_total",
      help: "Reads of the newest state, which share round trips to the store.",
      stability: "ALPHA",
      type: "counter",
    },
    () => cache.counters.consistentReads,
  );
  metrics.observed(
    {
      name: "orch_watch_cache_unreadable_objects",
      help: "Objects whose stored value cannot be read; reads that would show them are refused.",
      stability: "ALPHA",
    },
    () => cache.counters.unreadable,
  );
  metrics.observed(
    { name: "orch_watch_cache_revision", help: "Newest store revision that the cache shows.", stability: "ALPHA" },
    () => cache.status().revision,
  );
}
