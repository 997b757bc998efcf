import type { Metrics } from "@orch/runtime/metrics.js";
import type { Condition } from "@orch/store/embedded-store.js";

/** How the embedded store's medium is, read when it is scraped. */
export function registerStoreMetrics(metrics: Metrics, condition: Condition): void {
  metrics.observed(
    {
      name: "orch_store_room_bytes",
      help: "Bytes that may be written before more is asked of the medium; its reserve is not counted.",
      stability: "ALPHA",
    },
    () => condition.roomBytes,
  );
  metrics.observed(
    {
      name: "orch_store_damaged_entries",
      help: "Entries of the store that were found to be damaged and are neither deleted nor written anew.",
      stability: "ALPHA",
    },
    () => condition.damaged.length,
  );
  metrics.observed(
    {
      name: "orch_store_scrubbed_entries_total",
      help: "Entries and changes of the store that were read to find damaged ones.",
      stability: "ALPHA",
      type: "counter",
    },
    () => condition.scrubbed,
  );
}
