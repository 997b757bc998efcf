import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import type { DeliveryReport } from "./delivery.js";

export interface AuditMetrics extends DeliveryReport {
  received(events: number): void;
}

export interface AuditMetricsDeps {
  readonly metrics: Metrics;
  readonly log: Pick<Log, "warn">;
  /** Counts events that are lost, by who should have had them. */
  readonly lost: (plugin: string, events: number) => void;
  /** Bytes of the spool. */
  readonly spoolBytes: () => number;
}

/** What is told of events and sinks; failures are logged once until the sink works again. */
export function createAuditMetrics({ metrics, log, lost, spoolBytes }: AuditMetricsDeps): AuditMetrics {
  const received = metrics.counter({
    name: "orch_audit_events_received_total",
    help: "Audit events that gateways have sent and that are on disk.",
    stability: "ALPHA",
    labels: [],
  });
  const delivered = metrics.counter({
    name: "orch_audit_events_delivered_total",
    help: "Audit events that a sink has, by the sink.",
    stability: "ALPHA",
    labels: ["plugin"],
  });
  const failures = metrics.counter({
    name: "orch_audit_delivery_failures_total",
    help: "Batches of audit events that a sink did not take and that are sent again, by the sink.",
    stability: "ALPHA",
    labels: ["plugin"],
  });
  metrics.observed(
    { name: "orch_audit_spool_bytes", help: "Bytes of audit events on disk.", stability: "ALPHA" },
    spoolBytes,
  );
  const troubled = new Set<string>();
  return {
    received: (events) => received.with({}).inc(events),
    delivered(plugin, events) {
      delivered.with({ plugin }).inc(events);
      if (troubled.delete(plugin)) log.warn({ plugin }, "the audit sink takes events again");
    },
    lost(plugin, events, why) {
      lost(plugin, events);
      log.warn({ plugin, events, why }, "audit events are lost");
    },
    failed(plugin, why) {
      failures.with({ plugin }).inc();
      if (troubled.has(plugin)) return;
      troubled.add(plugin);
      log.warn({ plugin, why }, "the audit sink takes no events; they wait in the spool");
    },
  };
}
