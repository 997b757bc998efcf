import type { Metrics } from "@orch/runtime/metrics.js";
import { createTelemetry } from "./metrics.js";
import {
  type ControllerManager,
  type ControllerManagerConfig,
  type ControllerManagerDeps,
  createControllerManager,
} from "./service.js";

/** What differs between a process of its own and one with other services: above all as whom it speaks to the server. */
export interface AssemblyDeps extends Omit<ControllerManagerDeps, "random" | "telemetry"> {
  readonly metrics: Metrics;
}

/** A controller manager with its metrics. */
export function assembleControllerManager(settings: ControllerManagerConfig, deps: AssemblyDeps): ControllerManager {
  const { metrics, ...rest } = deps;
  return createControllerManager(settings, {
    ...rest,
    random: Math.random,
    telemetry: createTelemetry(metrics, deps.clock.monotonic),
  });
}
