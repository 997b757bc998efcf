import type { Metrics } from "@orch/runtime/metrics.js";
import type { ControllerName } from "./controller.js";
import { createManager, type Manager, type ManagerConfig, type ManagerDeps } from "./manager.js";
import { createTelemetry } from "./metrics.js";
import { type ControllerManagerConfig, managed } from "./service.js";

/** What differs between a process of its own and one with other services: above all as whom it speaks to the server. */
export interface AssemblyDeps extends Omit<ManagerDeps, "random" | "telemetry"> {
  readonly metrics: Metrics;
}

/** A controller manager with its metrics. */
export function assembleControllerManager(settings: ControllerManagerConfig, deps: AssemblyDeps): Manager {
  return assembleManager(managed(settings), deps);
}

/** Controllers of whichever program with their metrics. */
export function assembleManager<N extends ControllerName>(config: ManagerConfig<N>, deps: AssemblyDeps): Manager {
  const { metrics, ...rest } = deps;
  const telemetry = createTelemetry(metrics, deps.clock.monotonic);
  return createManager(config, { ...rest, random: Math.random, telemetry });
}
