import type { Metrics } from "@orch/runtime/metrics.js";
import type { KeptHistory } from "./sweep.js";

/** What the keeper of histories does. */
export interface HistoryMetrics {
  /** So many records were removed, by a round or between two. */
  removed(records: number): void;
  /** A round is over; undefined for one that failed. */
  round(kept: KeptHistory | undefined): void;
}

export const noHistoryMetrics: HistoryMetrics = { removed: () => {}, round: () => {} };

export function createHistoryMetrics(metrics: Metrics): HistoryMetrics {
  let last: Pick<KeptHistory, "records" | "bytes" | "unreadable"> = { records: 0, bytes: 0, unreadable: 0 };
  const stability = "ALPHA";
  metrics.observed(
    {
      name: "orch_object_history_records",
      help: "Records of objects' past in the whole store, as the last round of this process counted them; 0 before the first.",
      stability,
    },
    () => last.records,
  );
  metrics.observed(
    {
      name: "orch_object_history_bytes",
      help: "Bytes of records of objects' past in the whole store, as the last round of this process counted them.",
      stability,
    },
    () => last.bytes,
  );
  metrics.observed(
    {
      name: "orch_object_history_unreadable_records",
      help: "Records of objects' past that no key opens, or that are damaged, as the last round met them.",
      stability,
    },
    () => last.unreadable,
  );
  const removed = metrics
    .counter({
      name: "orch_object_history_removed_records_total",
      help: "Records of objects' past that were removed because they were over a bound.",
      stability,
      labels: [],
    })
    .with({});
  const rounds = metrics.counter({
    name: "orch_object_history_rounds_total",
    help: "Rounds over all records of objects' past, by whether they came to their end.",
    stability,
    labels: ["result"],
  });
  const results = { success: rounds.with({ result: "success" }), failure: rounds.with({ result: "failure" }) };
  return {
    removed: (records) => removed.inc(records),
    round(kept) {
      if (kept === undefined) {
        results.failure.inc();
        return;
      }
      results.success.inc();
      last = kept;
    },
  };
}
