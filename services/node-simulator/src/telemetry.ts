import type { QueueObserver } from "@orch/client/work-queue.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { queueMetrics } from "@orch/runtime/queue-metrics.js";
import { type Target, targets } from "./stages/stage.js";

/** What the simulation tells of itself. */
export interface Telemetry {
  queue(name: string): QueueObserver;
  nodes(count: number): void;
  pods(count: number): void;
  stepped(to: Target): void;
}

/** `now`: milliseconds that only grow. */
export function createTelemetry(metrics: Metrics, now: () => number): Telemetry {
  const gauge = (name: string, help: string) => metrics.gauge({ name, help, stability: "ALPHA", labels: [] }).with({});
  const nodes = gauge("orch_node_simulator_nodes", "Nodes that report from here.");
  const pods = gauge("orch_node_simulator_pods", "Pods that are lived here.");
  const steps = metrics.counter({
    name: "orch_node_simulator_steps_total",
    help: "Steps that pods have taken, by where they led.",
    stability: "ALPHA",
    labels: ["to"],
  });
  const counters = new Map(targets.map((to) => [to, steps.with({ to })]));
  return {
    queue: queueMetrics(metrics, now),
    nodes: (count) => nodes.set(count),
    pods: (count) => pods.set(count),
    stepped: (to) => counters.get(to)?.inc(),
  };
}
