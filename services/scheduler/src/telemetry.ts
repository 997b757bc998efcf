import type { Metrics } from "@orch/runtime/metrics.js";

export type Result = "scheduled" | "unschedulable" | "error";
const results = ["scheduled", "unschedulable", "error"] as const;
const queues = ["active", "backoff", "unschedulable", "gated"] as const;

/** What the scheduler tells of itself. */
export interface Telemetry {
  /** An attempt is over, after so many seconds: until the pod was bound, or was refused. */
  attempted(result: Result, profile: string, seconds: number): void;
  /** Of a cycle without what it writes. */
  decided(seconds: number): void;
  /** A pod was bound in its so many-th attempt, so many seconds after it was first seen. */
  bound(attempts: number, seconds: number): void;
  preempted(victims: number): void;
  entered(queue: string, event: string): void;
  /** The plugins of an extension point took so many seconds together. */
  took(point: string, status: string, profile: string, seconds: number): void;
  /** A pod waited so many seconds until plugins allowed it or did not. */
  waited(isAllowed: boolean, seconds: number): void;
}

/** Read whenever the page is. */
export interface Sizes {
  readonly pending: Readonly<Record<(typeof queues)[number], number>>;
  readonly cache: Readonly<Record<"nodes" | "pods" | "assumed_pods", number>>;
  /** Pods that wait for something, by who refused them. */
  readonly refused: readonly { readonly profile: string; readonly plugin: string; readonly pods: number }[];
}

const powersOfTwo = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => first * 2 ** i);

/** The reference's names. `profiles`: a closed set of label values. */
export function createTelemetry(metrics: Metrics, profiles: readonly string[], sizes: () => Sizes): Telemetry {
  const perResult = { labels: ["result", "profile"], stability: "STABLE" } as const;
  const attempts = metrics.counter({
    ...{ ...perResult, name: "scheduler_schedule_attempts_total" },
    help: "Attempts to schedule pods, by what came of them.",
  });
  const durations = metrics.histogram({
    ...{ ...perResult, name: "scheduler_scheduling_attempt_duration_seconds", buckets: powersOfTwo(0.001, 15) },
    help: "How long attempts took, with binding.",
  });
  const algorithm = metrics
    .histogram({
      ...{ name: "scheduler_scheduling_algorithm_duration_seconds", labels: [], stability: "ALPHA" },
      ...{ buckets: powersOfTwo(0.001, 15), help: "How long decisions took." },
    })
    .with({});
  const tries = metrics
    .histogram({
      ...{ name: "scheduler_pod_scheduling_attempts", labels: [], stability: "STABLE", buckets: powersOfTwo(1, 5) },
      help: "Attempts that pods which are bound have taken.",
    })
    .with({});
  const waits = metrics.histogram({
    ...{ name: "scheduler_pod_scheduling_sli_duration_seconds", labels: ["attempts"], stability: "BETA" },
    ...{ buckets: powersOfTwo(0.01, 20), help: "From when a pod was first seen until it was bound." },
  });
  const victims = metrics
    .histogram({
      ...{ name: "scheduler_preemption_victims", labels: [], stability: "STABLE", buckets: powersOfTwo(1, 7) },
      help: "Pods that were made to go for one.",
    })
    .with({});
  const preemptions = metrics
    .counter({
      ...{ name: "scheduler_preemption_attempts_total", labels: [], stability: "STABLE" },
      help: "Attempts to make pods go for others.",
    })
    .with({});
  const incoming = metrics.counter({
    ...{ name: "scheduler_queue_incoming_pods_total", labels: ["queue", "event"], stability: "STABLE" },
    help: "Pods that entered a queue, by the event that made them.",
  });
  const pending = metrics.gauge({
    ...{ name: "scheduler_pending_pods", labels: ["queue"], stability: "STABLE" },
    help: "Pods that wait, by where.",
  });
  const cached = metrics.gauge({
    ...{ name: "scheduler_scheduler_cache_size", labels: ["type"], stability: "ALPHA" },
    help: "Nodes, pods and assumed pods that decisions see.",
  });
  const points = metrics.histogram({
    ...{ name: "scheduler_framework_extension_point_duration_seconds", stability: "STABLE" },
    ...{ labels: ["extension_point", "status", "profile"], buckets: powersOfTwo(0.0001, 12) },
    help: "How long all plugins of an extension point took.",
  });
  const permits = metrics.histogram({
    ...{ name: "scheduler_permit_wait_duration_seconds", labels: ["result"], stability: "ALPHA" },
    ...{ buckets: powersOfTwo(0.001, 15), help: "How long pods waited until plugins allowed them." },
  });
  const refusals = metrics.gauge({
    ...{ name: "scheduler_unschedulable_pods", labels: ["plugin", "profile"], stability: "ALPHA" },
    help: "Pods that wait for something, by each plugin that refused them.",
  });
  /** Told once: who refuses nobody any more has 0. */
  const refusing = new Map<string, ReturnType<typeof refusals.with>>();
  metrics.onRead(() => {
    const { pending: now, cache, refused } = sizes();
    for (const series of refusing.values()) series.set(0);
    for (const { profile, plugin, pods } of refused) {
      const series = refusals.with({ plugin, profile });
      refusing.set(`${plugin} ${profile}`, series);
      series.set(pods);
    }
    for (const queue of queues) pending.with({ queue }).set(now[queue]);
    for (const [type, size] of Object.entries(cache)) cached.with({ type }).set(size);
  });
  for (const profile of profiles) for (const result of results) attempts.with({ result, profile }).inc(0);
  const mostTold = 16;
  return {
    attempted(result, profile, seconds) {
      attempts.with({ result, profile }).inc();
      durations.with({ result, profile }).observe(seconds);
    },
    decided: (seconds) => algorithm.observe(seconds),
    bound(count, seconds) {
      tries.observe(count);
      waits.with({ attempts: count >= mostTold ? `${mostTold}+` : String(count) }).observe(seconds);
    },
    preempted(count) {
      preemptions.inc();
      victims.observe(count);
    },
    took: (extension_point, status, profile, seconds) =>
      points.with({ extension_point, status, profile }).observe(seconds),
    waited: (isAllowed, seconds) => permits.with({ result: isAllowed ? "Success" : "Unschedulable" }).observe(seconds),
    entered: (queue, event) => incoming.with({ queue, event }).inc(),
  };
}
