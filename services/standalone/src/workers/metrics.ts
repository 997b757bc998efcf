import type { CounterSeries, GaugeSeries, Metrics } from "@orch/runtime/metrics.js";

/** What is counted of gateway workers. */
export interface WorkerMetrics {
  readonly serving: GaugeSeries;
  readonly restarts: CounterSeries;
}

export function createWorkerMetrics(metrics: Metrics): WorkerMetrics {
  const serving = metrics.gauge({
    name: "orch_gateway_workers",
    help: "Gateway workers that serve.",
    stability: "ALPHA",
    labels: [],
  });
  const restarts = metrics.counter({
    name: "orch_gateway_worker_restarts_total",
    help: "Gateway workers that were started in the place of one that ended.",
    stability: "ALPHA",
    labels: [],
  });
  return { serving: serving.with({}), restarts: restarts.with({}) };
}
