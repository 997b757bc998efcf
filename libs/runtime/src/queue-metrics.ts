import type { Metrics } from "./metrics.js";

/** Told what happens to a queue; times in seconds. */
export interface QueueTelemetry {
  added(): void;
  retried(): void;
  depth(keys: number): void;
  waited(seconds: number): void;
  /** Work on a key has begun; called once it is over. */
  began(): () => void;
}

/** Seconds: 10 ns, and ten times as much with each further one. */
const seconds = [1e-8, 1e-7, 1e-6, 9.999999999999999e-6, 9.999999999999999e-5, 0.001, 0.01, 0.1, 1, 10];

type QueueMetrics = (name: string) => QueueTelemetry;

const known = new WeakMap<Metrics, QueueMetrics>();

/**
 * What a process tells of the queues that it works on, each by its name; the reference's metrics. The same for all parts of the process
 * that ask. `now`: milliseconds that only grow.
 */
export function queueMetrics(metrics: Metrics, now: () => number): QueueMetrics {
  const found = known.get(metrics) ?? createQueueMetrics(metrics, now);
  known.set(metrics, found);
  return found;
}

function createQueueMetrics(metrics: Metrics, now: () => number): QueueMetrics {
  const perQueue = { stability: "BETA", labels: ["name"] } as const;
  const depth = metrics.gauge({ ...perQueue, name: "workqueue_depth", help: "Keys that wait for a worker." });
  const adds = metrics.counter({ ...perQueue, name: "workqueue_adds_total", help: "Keys that were added." });
  const retries = metrics.counter({
    ...{ ...perQueue, name: "workqueue_retries_total" },
    help: "Keys that were tried again.",
  });
  const waited = metrics.histogram({
    ...{ ...perQueue, name: "workqueue_queue_duration_seconds", buckets: seconds },
    help: "How long keys waited for a worker.",
  });
  const worked = metrics.histogram({
    ...{ ...perQueue, name: "workqueue_work_duration_seconds", buckets: seconds },
    help: "How long the work on a key took.",
  });
  const unfinished = metrics.gauge({
    ...{ ...perQueue, name: "workqueue_unfinished_work_seconds" },
    help: "How long the work that is under way has taken so far, all keys together.",
  });
  const longest = metrics.gauge({
    ...{ ...perQueue, name: "workqueue_longest_running_processor_seconds" },
    help: "How long the work on one key has taken so far, of the key that takes longest.",
  });
  return (name) => {
    const [added, again, waiting] = [adds.with({ name }), retries.with({ name }), depth.with({ name })];
    const [queueTime, workTime] = [waited.with({ name }), worked.with({ name })];
    const [unfinishedTime, longestTime] = [unfinished.with({ name }), longest.with({ name })];
    const running = new Set<{ readonly began: number }>();
    metrics.onRead(() => {
      const times = [...running].map(({ began }) => (now() - began) / 1000);
      unfinishedTime.set(times.reduce((sum, time) => sum + time, 0));
      longestTime.set(Math.max(0, ...times));
    });
    return {
      added: () => added.inc(),
      retried: () => again.inc(),
      depth: (keys) => waiting.set(keys),
      waited: (s) => queueTime.observe(s),
      began() {
        const work = { began: now() };
        running.add(work);
        return () => {
          running.delete(work);
          workTime.observe((now() - work.began) / 1000);
        };
      },
    };
  };
}
