import { ConfigurationError } from "@orch/access/configuration.js";
import type { Catalog } from "@orch/api/catalog.js";
import { joinLines } from "@orch/audit/lines.js";
import { compilePolicy } from "@orch/audit/policy.js";
import { loadPolicyFile } from "@orch/audit/policy-file.js";
import { createEventWriter } from "@orch/audit/record.js";
import { createSender, type Sender } from "@orch/audit/sender.js";
import { openSpool } from "@orch/audit/spool/spool.js";
import { createTimeFormat } from "@orch/audit/times.js";
import type { Naming } from "@orch/naming/naming.js";
import { createPreciseClock } from "@orch/rpc/clock.js";
import { auditAppend } from "@orch/rpc/methods.js";
import type { Caller } from "@orch/rpc/rpc.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import { messageOf } from "@orch/status/message-of.js";
import type { GatewayAuditSettings } from "./flags.js";
import type { AuditMetrics } from "./metrics.js";
import type { AuditDeps } from "./request-audit.js";

export interface AssemblyDeps {
  readonly naming: Naming;
  /** The service that keeps events. */
  readonly service: Pick<Caller, "call">;
  readonly metrics: AuditMetrics;
  readonly catalog: () => Catalog;
  readonly clock: Clock;
  readonly log: Log;
  readonly pid: number;
}

export interface AssembledAudit {
  /** What the pipeline needs; undefined where nothing is recorded. */
  readonly deps: AuditDeps;
  /** Sends what waits. */
  stop(): Promise<void>;
}

/** As the reference's buffer of a batching backend. */
const maxWaiting = 10_000;
const maxWaitingBytes = 64 * 1024 * 1024;
/** Where no request waits, events of several turns go together: each time that they go costs as much as ten of them. */
const gatherMs = 10;
/** How long the service may take: longer than it waits for a sink that is slow, shorter than requests may. */
const appendMs = 10_000;

/** The auditor of a gateway. @throws ConfigurationError for a policy or a folder that cannot be used */
export async function assembleAudit(settings: GatewayAuditSettings, deps: AssemblyDeps): Promise<AssembledAudit> {
  const { naming, service, metrics, catalog, clock, log } = deps;
  const loaded = loadPolicyFile(settings.policyFile, naming);
  if (!loaded.ok) throw new ConfigurationError(`loading audit policy file: ${loaded.problems.join("; ")}`);
  for (const warning of loaded.value.warnings) log.warn({}, `audit policy file: ${warning}`);
  const strict = settings.mode === "blocking-strict";
  const sender = createSender(
    { maxWaiting, maxWaitingBytes, strict },
    {
      append: (events, isStrict) =>
        service.call(
          auditAppend,
          { lines: joinLines(events), count: events.length, strict: isStrict },
          { deadlineMs: appendMs },
        ),
      spool: await openOwnSpool(settings, deps),
      clock,
      random: Math.random,
      later: settings.mode === "batch" ? (run) => void clock.after(gatherMs, run) : setImmediate,
      lost: (events, why) => {
        metrics.lost("buffered", events);
        log.warn({ events, why }, "audit events are lost");
      },
      warn: (what, err) => log.warn({ err }, what),
    },
  );
  const authorization = naming.group("authorization");
  return {
    deps: {
      planOf: compilePolicy(loaded.value.policy),
      writer: createEventWriter(naming, createTimeFormat()),
      decisionKeys: { decision: `${authorization}/decision`, reason: `${authorization}/reason` },
      latencyPrefix: naming.latencyKey(""),
      truncatedKey: `${naming.group("audit")}/truncated`,
      ...sending(sender, settings),
      strict,
      metrics,
      catalog,
      now: createPreciseClock(),
    },
    stop: () => sender.close(),
  };
}

function sending(sender: Sender, { mode }: GatewayAuditSettings): Pick<AuditDeps, "send" | "sendAndWait"> {
  return { send: sender.send, sendAndWait: mode === "batch" ? undefined : sender.sendAndWait };
}

async function openOwnSpool({ spool: settings }: GatewayAuditSettings, { log, pid }: AssemblyDeps) {
  if (settings === undefined) return undefined;
  const warn = (what: string, err: unknown): void => log.warn({ err }, what);
  try {
    const spool = await openSpool({ ...settings, pid, warn });
    return { spool, reader: await spool.reader("service") };
  } catch (error) {
    throw new ConfigurationError(`--audit-spool-directory: ${messageOf(error)}`);
  }
}
