import { ConfigurationError } from "@orch/access/configuration.js";
import { auditErrorMetric } from "@orch/audit/error-metric.js";
import { openSpool } from "@orch/audit/spool/spool.js";
import { createFitting } from "@orch/audit/truncate.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Egress } from "@orch/outbound/egress/egress.js";
import type { Services } from "@orch/rpc/rpc.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Health } from "@orch/runtime/health.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { messageOf } from "@orch/status/message-of.js";
import { startDelivery } from "./delivery.js";
import { createAuditMetrics } from "./metrics.js";
import { serveAudit } from "./service.js";
import type { AuditSettings } from "./settings.js";
import { openSinks } from "./sinks/open-sinks.js";

/** What differs between a process of its own and one with other services. */
export interface AssemblyDeps {
  readonly naming: Naming;
  readonly services: Services;
  /** By which way connections leave; straight where absent. */
  readonly egress?: Egress | undefined;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly health: Pick<Health, "check">;
  readonly log: Log;
  /** Of this process. */
  readonly pid: number;
  /** Counts events that are lost, where the process counts those of a gateway too. */
  readonly lost?: ((plugin: string, events: number) => void) | undefined;
}

export interface AssembledAudit {
  /** Ends with what is being delivered; the rest stays in the spool. */
  stop(): Promise<void>;
}

/** The service with its spool and sinks; it takes events once this has settled. @throws ConfigurationError */
export async function assembleAudit(settings: AuditSettings, deps: AssemblyDeps): Promise<AssembledAudit> {
  const { naming, clock, metrics, log, services, egress } = deps;
  const warn = (what: string, err: unknown): void => log.warn({ err }, what);
  const sinks = await openSinks(settings, { naming, egress, warn, now: () => clock.now() });
  const spool = await openSpool({ ...settings.spool, pid: deps.pid, warn }).catch((error: unknown) => {
    throw new ConfigurationError(`--audit-spool-directory: ${messageOf(error)}`);
  });
  const errors = deps.lost === undefined ? metrics.counter(auditErrorMetric) : undefined;
  const report = createAuditMetrics({
    ...{ metrics, log },
    lost: deps.lost ?? ((plugin, events) => errors?.with({ plugin }).inc(events)),
    spoolBytes: () => spool.bytes,
  });
  // A spool removes what all of its readers have: they must be known before the first of them goes on.
  const readers = await Promise.all(
    sinks.map(async (opened) => ({ ...opened, reader: await spool.reader(opened.sink.name) })),
  );
  const deliveries = readers.map(({ sink, settings: { delivery, truncate }, reader }) =>
    startDelivery(delivery, {
      ...{ sink, reader, clock, report },
      fit: truncate && createFitting(truncate, naming),
      random: Math.random,
    }),
  );
  const served = serveAudit({ services, spool, deliveries, received: report.received });
  deps.health.check("audit-spool", () => served.problem, { livez: false });
  return {
    async stop() {
      await Promise.all(deliveries.map((delivery) => delivery.stop()));
      await spool.close();
    },
  };
}
