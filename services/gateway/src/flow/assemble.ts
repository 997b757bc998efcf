import type { ObjectSource } from "@orch/auth/object-source.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { followFlowConfig } from "./config-source.js";
import { createFlowControl } from "./flow-control.js";
import { limitInFlight } from "./in-flight.js";
import type { Limiter } from "./limiter.js";
import { createFlowMetrics } from "./metrics.js";
import { createRequestCounts } from "./request-counts.js";
import type { FlowTables } from "./tables.js";

export interface LimitingSettings {
  readonly readsInFlight: number;
  readonly writesInFlight: number;
  readonly flowControl: boolean;
  readonly requestTimeoutMs: number;
}

export interface LimitingDeps {
  readonly naming: Naming;
  readonly objects: ObjectSource;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Called when the objects that configure it are known. */
  readonly configured: () => void;
}

/** A limiter with what keeps it up to date. */
export interface Limiting {
  readonly limiter: Limiter;
  /** What flow control does now; none without it. */
  readonly tables: FlowTables;
  start(): void;
  stop(): void;
}

/** The part of its time that a request may wait for seats. */
const waitingPart = 1 / 4;

/** Flow control as the flags have it. */
export function createLimiting(settings: LimitingSettings, deps: LimitingDeps): Limiting {
  const { readsInFlight: reads, writesInFlight: writes } = settings;
  const { naming, clock } = deps;
  const counts = createRequestCounts(deps.metrics, clock);
  // Without seats there is nothing to divide, and nothing is limited.
  if (!settings.flowControl || reads + writes === 0) {
    const limiter = limitInFlight({ reads, writes, mastersGroup: naming.mastersGroup }, counts);
    return { limiter, tables: new Map(), start: deps.configured, stop: () => {} };
  }
  const control = createFlowControl({
    naming,
    clock,
    metrics: createFlowMetrics(deps.metrics),
    counts,
    totalSeats: reads + writes,
    waitMs: settings.requestTimeoutMs * waitingPart,
  });
  const source = followFlowConfig({
    naming,
    clock,
    objects: deps.objects,
    changed(config) {
      control.configure(config);
      deps.configured();
    },
  });
  return {
    limiter: control,
    tables: control.tables,
    start() {
      control.start();
      source.start();
    },
    stop() {
      source.stop();
      control.stop();
    },
  };
}
