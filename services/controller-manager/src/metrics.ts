import type { QueueObserver } from "@orch/client/work-queue.js";
import { leaderMetric } from "@orch/runtime/leader-metric.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { queueMetrics } from "@orch/runtime/queue-metrics.js";

/** What the controllers tell of themselves. */
export interface Telemetry {
  queue(name: string): QueueObserver;
  failed(controller: string): void;
  collected(resource: string): void;
  /** Objects and owners that the garbage collector's graph holds. */
  graphSize(nodes: number): void;
  leading(lease: string, leads: boolean): void;
}

/** The metrics' names in one place; the reference's where it has them. `now`: milliseconds that only grow. */
export function createTelemetry(metrics: Metrics, now: () => number): Telemetry {
  const queue = queueMetrics(metrics, now);
  const errors = metrics.counter({
    name: "controller_errors_total",
    help: "Work and watches of controllers that failed and were tried again.",
    stability: "ALPHA",
    labels: ["controller"],
  });
  const collected = metrics.counter({
    name: "garbage_collector_deletions_total",
    help: "Objects that were deleted because nobody owns them any more.",
    stability: "ALPHA",
    labels: ["resource"],
  });
  const nodes = metrics
    .gauge({
      name: "garbage_collector_graph_nodes",
      help: "Objects and owners in the garbage collector's graph.",
      stability: "ALPHA",
      labels: [],
    })
    .with({});
  return {
    queue,
    failed: (controller) => errors.with({ controller }).inc(),
    collected: (resource) => collected.with({ resource }).inc(),
    graphSize: (count) => nodes.set(count),
    leading: leaderMetric(metrics),
  };
}
