import { statSync } from "node:fs";
import { join } from "node:path";
import type { Metrics } from "@orch/runtime/metrics.js";
import type { Condition } from "@orch/store/embedded/serve-database.js";

const dataFile = "data.mdb";

/** 0 for a file that is not there. */
function bytesOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

/** How the embedded store's medium is, read when it is scraped; one in memory has no path. */
export function registerStoreMetrics(metrics: Metrics, condition: Condition, path: string | undefined): void {
  const size = metrics
    .gauge({
      name: "apiserver_storage_size_bytes",
      help: "Bytes that the store takes of its medium.",
      stability: "STABLE",
      labels: ["storage_cluster_id"],
      join: "first",
    })
    .with({ storage_cluster_id: "embedded-0" });
  metrics.onRead(() => size.set(path === undefined ? 0 : bytesOf(join(path, dataFile))));
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
      help: "Entries and notes of the store that were found to be damaged and are neither deleted nor written anew.",
      stability: "ALPHA",
    },
    () => condition.damaged.length,
  );
  metrics.observed(
    {
      name: "orch_store_scrubbed_entries_total",
      help: "Entries, changes and notes of the store that were read to find damaged ones.",
      stability: "ALPHA",
      type: "counter",
    },
    () => condition.scrubbed,
  );
}
