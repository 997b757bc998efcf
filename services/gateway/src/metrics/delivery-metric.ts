import type { Live } from "@orch/rpc/messages.js";
import type { Metrics } from "@orch/runtime/metrics.js";

/** Seconds: 0.1 ms to 10 s. */
const buckets = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;

/**
 * How long events of watches take from their commit to their clients. One observation for the events of a tick that a
 * watcher gets together, by the oldest of them: what a thousand watchers get costs a thousand, however many events it is.
 */
export function createDeliveryMetric(metrics: Metrics, now: () => number): (live: Live) => void {
  const seconds = metrics
    .histogram({
      name: "orch_gateway_watch_delivery_duration_seconds",
      help:
        "Time from the moment when a watch cache was told of a committed change to the moment when the event's bytes " +
        "were given to a watcher's socket; initial and missed events are not counted. Between hosts as exact as their clocks.",
      stability: "ALPHA",
      labels: [],
      buckets,
    })
    .with({});
  // The clocks of two hosts may differ by more than the delivery took.
  return ({ events, since }) => seconds.observe(Math.max(0, now() - since) / 1000, events);
}
