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
  /** Counts volumes and claims whenever metrics are read; undefined: nobody follows them any more. */
  countVolumes(count: (() => VolumeCounts) | undefined): void;
  /** The same of claims of devices. */
  countDeviceClaims(count: (() => DeviceClaimCounts) | undefined): void;
  /** A claim of devices that was to be made of a template. */
  deviceClaimMade(done: boolean): void;
}

/** How many there are of each set of labels. */
export type Counted<L extends string> = readonly {
  readonly labels: Readonly<Record<L, string>>;
  readonly count: number;
}[];

export interface VolumeCounts {
  readonly volumes: Counted<"plugin_name" | "volume_mode">;
  readonly boundVolumes: Counted<"storage_class">;
  readonly unboundVolumes: Counted<"storage_class">;
  readonly boundClaims: Counted<ClaimLabels>;
  readonly unboundClaims: Counted<ClaimLabels>;
}
export type ClaimLabels = "namespace" | "storage_class" | "volume_attributes_class";

export interface DeviceClaimCounts {
  readonly all: number;
  readonly allocated: number;
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
    countVolumes: volumeMetrics(metrics),
    ...deviceClaimMetrics(metrics),
  };
}

function volumeMetrics(metrics: Metrics): Telemetry["countVolumes"] {
  let count: (() => VolumeCounts) | undefined;
  const gauge = <const L extends string>(name: string, help: string, labels: readonly L[]) => {
    const of = metrics.gauge({ name: `pv_collector_${name}`, help, stability: "ALPHA", labels });
    return (counted: Counted<L>): void => {
      of.drop({});
      for (const each of counted) of.with(each.labels).set(each.count);
    };
  };
  const ofClaim = ["namespace", "storage_class", "volume_attributes_class"] as const;
  const volumes = gauge("total_pv_count", "PersistentVolumes.", ["plugin_name", "volume_mode"]);
  const boundVolumes = gauge("bound_pv_count", "PersistentVolumes that are bound.", ["storage_class"]);
  const unboundVolumes = gauge("unbound_pv_count", "PersistentVolumes that are not bound.", ["storage_class"]);
  const boundClaims = gauge("bound_pvc_count", "PersistentVolumeClaims that are bound.", ofClaim);
  const unboundClaims = gauge("unbound_pvc_count", "PersistentVolumeClaims that are not bound.", ofClaim);
  metrics.onRead(() => {
    const now = count?.();
    volumes(now?.volumes ?? []);
    boundVolumes(now?.boundVolumes ?? []);
    unboundVolumes(now?.unboundVolumes ?? []);
    boundClaims(now?.boundClaims ?? []);
    unboundClaims(now?.unboundClaims ?? []);
  });
  return (next) => {
    count = next;
  };
}

function deviceClaimMetrics(metrics: Metrics): Pick<Telemetry, "countDeviceClaims" | "deviceClaimMade"> {
  let count: (() => DeviceClaimCounts) | undefined;
  const of = (name: string, help: string) =>
    ({ name: `resourceclaim_controller_${name}`, help, stability: "ALPHA", labels: [] }) as const;
  const attempts = metrics.counter(of("create_attempts_total", "Claims of devices that were to be made.")).with({});
  const failures = metrics.counter(of("create_failures_total", "Of those the ones that could not be made.")).with({});
  const all = metrics.gauge(of("resource_claims", "Claims of devices.")).with({});
  const allocated = metrics.gauge(of("allocated_resource_claims", "Claims of devices that have some.")).with({});
  metrics.onRead(() => {
    const now = count?.();
    all.set(now?.all ?? 0);
    allocated.set(now?.allocated ?? 0);
  });
  return {
    countDeviceClaims(next) {
      count = next;
    },
    deviceClaimMade(done) {
      attempts.inc();
      if (!done) failures.inc();
    },
  };
}
