import type { CallFailure, CallPurpose } from "@orch/rpc/messages.js";
import type { Metrics } from "@orch/runtime/metrics.js";

/** What is told of calls to webhooks. */
export interface CallMetrics {
  begun(purpose: CallPurpose): void;
  ended(purpose: CallPurpose, result: CallFailure | "success" | "error", seconds: number): void;
}

const buckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25, 30];

/** Of a process. Which webhook it was is told by those who ask: here are only the purposes of calls. */
export function createCallMetrics(metrics: Metrics): CallMetrics {
  const running = metrics.gauge({
    name: "orch_webhook_calls_in_flight",
    help: "Calls to webhooks that wait for their answers.",
    stability: "ALPHA",
    labels: ["purpose"],
  });
  const duration = metrics.histogram({
    name: "orch_webhook_call_duration_seconds",
    help: "Time of calls to webhooks, the connection included, by how they ended.",
    stability: "ALPHA",
    labels: ["purpose", "result"],
    buckets,
  });
  return {
    begun: (purpose) => running.with({ purpose }).add(1),
    ended(purpose, result, seconds) {
      running.with({ purpose }).add(-1);
      duration.with({ purpose, result }).observe(seconds);
    },
  };
}
