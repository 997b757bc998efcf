import { auditErrorMetric } from "@orch/audit/error-metric.js";
import type { Level } from "@orch/audit/event.js";
import { levels } from "@orch/audit/event.js";
import type { Metrics } from "@orch/runtime/metrics.js";

export interface AuditMetrics {
  event(): void;
  level(level: Level): void;
  rejected(): void;
  /** Events that nobody will have. */
  readonly lost: (plugin: string, events: number) => void;
}

/** Named as the reference names them. `lost` counts events where the process counts those of sinks too. */
export function createAuditMetrics(metrics: Metrics, lost: AuditMetrics["lost"] | undefined): AuditMetrics {
  const shared = { stability: "ALPHA", labels: [] } as const;
  const events = metrics
    .counter({ ...shared, name: "apiserver_audit_event_total", help: "Audit events that were made." })
    .with({});
  const rejected = metrics
    .counter({
      ...shared,
      name: "apiserver_audit_requests_rejected_total",
      help: "Requests that were refused because their first audit event could not be kept.",
    })
    .with({});
  const byLevel = metrics.counter({
    ...shared,
    name: "apiserver_audit_level_total",
    help: "Requests by the level at which the audit policy records them.",
    labels: ["level"],
  });
  const series = new Map(levels.map((level) => [level, byLevel.with({ level })]));
  const errors = lost === undefined ? metrics.counter(auditErrorMetric) : undefined;
  return {
    event: () => events.inc(),
    level: (level) => series.get(level)?.inc(),
    rejected: () => rejected.inc(),
    lost: lost ?? ((plugin, count) => errors?.with({ plugin }).inc(count)),
  };
}
