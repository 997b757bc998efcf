import type { Metrics } from "@orch/runtime/metrics.js";
import type { LargeWrites } from "./large-writes.js";

/** Of the thread of large writes, read when they are scraped. */
export function registerLargeWriteMetrics(metrics: Metrics, large: LargeWrites): void {
  metrics.observed(
    { name: "orch_large_jobs_running", help: "Large writes and answers that a thread works on.", stability: "ALPHA" },
    () => large.counts.running,
  );
  metrics.observed(
    { name: "orch_large_jobs_waiting", help: "Large writes and answers that wait for the thread.", stability: "ALPHA" },
    () => large.counts.waiting,
  );
  metrics.observed(
    {
      name: "orch_large_jobs_total",
      help: "Large writes and answers that a thread has made.",
      stability: "ALPHA",
      type: "counter",
    },
    () => large.counts.done,
  );
  metrics.observed(
    {
      name: "orch_large_threads_lost_total",
      help: "Threads that ended with their work: out of memory, or silent for too long.",
      stability: "ALPHA",
      type: "counter",
    },
    () => large.counts.deaths,
  );
}
