import type { QueueObserver } from "@orch/client/work-queue.js";
import type { Metrics } from "@orch/runtime/metrics.js";

/** What the controllers tell of themselves. */
export interface Telemetry {
  queue(name: string): QueueObserver;
  failed(controller: string): void;
  collected(resource: string): void;
  /** Objects and owners that the garbage collector's graph holds. */
  graphSize(nodes: number): void;
  leading(lease: string, leads: boolean): void;
}

const seconds = [1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10];

/** The metrics' names in one place; the reference's where it has them. */
export function createTelemetry(metrics: Metrics): Telemetry {
  const perQueue = { stability: "ALPHA", labels: ["name"] } as const;
  const depth = metrics.gauge({ ...perQueue, name: "workqueue_depth", help: "Keys that wait for a worker." });
  const adds = metrics.counter({ ...perQueue, name: "workqueue_adds_total", help: "Keys that were added." });
  const retries = metrics.counter({
    ...perQueue,
    name: "workqueue_retries_total",
    help: "Keys that were tried again.",
  });
  const waited = metrics.histogram({
    ...perQueue,
    name: "workqueue_queue_duration_seconds",
    help: "How long keys waited for a worker.",
    buckets: seconds,
  });
  const worked = metrics.histogram({
    ...perQueue,
    name: "workqueue_work_duration_seconds",
    help: "How long the work on a key took.",
    buckets: seconds,
  });
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
  const leads = metrics.gauge({
    name: "leader_election_master_status",
    help: "1 while this process leads, 0 while it stands by.",
    stability: "ALPHA",
    labels: ["name"],
  });
  return {
    queue(name) {
      const [added, again, waiting] = [adds.with({ name }), retries.with({ name }), depth.with({ name })];
      const [queueTime, workTime] = [waited.with({ name }), worked.with({ name })];
      return {
        added: () => added.inc(),
        retried: () => again.inc(),
        depth: (keys) => waiting.set(keys),
        waited: (s) => queueTime.observe(s),
        worked: (s) => workTime.observe(s),
      };
    },
    failed: (controller) => errors.with({ controller }).inc(),
    collected: (resource) => collected.with({ resource }).inc(),
    graphSize: (count) => nodes.set(count),
    leading: (name, is) => leads.with({ name }).set(is ? 1 : 0),
  };
}
