import { splitLines } from "@orch/audit/lines.js";
import { type Spool, SpoolError } from "@orch/audit/spool/spool.js";
import { auditAppend, auditStatus } from "@orch/rpc/methods.js";
import type { Services } from "@orch/rpc/rpc.js";
import { unavailable } from "@orch/status/api-error.js";
import type { Delivery } from "./delivery.js";

export interface AuditServiceDeps {
  readonly services: Services;
  readonly spool: Spool;
  readonly deliveries: readonly Delivery[];
  readonly received: (events: number) => void;
}

export interface AuditService {
  /** Why the last events could not be kept; undefined where they were. */
  readonly problem: string | undefined;
}

/**
 * Takes events: they are acknowledged when they are on disk, in the spool or in the file where they belong, and when every sink that requests wait for was offered them.
 * What a sink does not take then is offered again later, and nobody waits for that.
 */
export function serveAudit({ services, spool, deliveries, received }: AuditServiceDeps): AuditService {
  let problem: string | undefined;
  const awaited = deliveries.filter(({ mode }) => mode !== "batch");
  const [only] = deliveries;
  const near = deliveries.length === 1 ? only?.writeNow : undefined;
  services.unary(auditAppend, async ({ lines, count, strict }) => {
    try {
      // What one file has need not be on disk twice.
      if (near !== undefined && !strict && (await near(lines, count))) {
        received(count);
        return {};
      }
      const { next } = await spool.append(splitLines(lines), { sync: strict, keepUnread: strict });
      problem = undefined;
      received(count);
      if (awaited.length > 0) await Promise.all(awaited.map((delivery) => delivery.attempted(next)));
      return {};
    } catch (error) {
      if (!(error instanceof SpoolError)) throw error;
      problem = error.message;
      throw unavailable(`audit events cannot be kept: ${error.message}`);
    }
  });
  services.unary(auditStatus, () => {
    const troubles = deliveries.flatMap(({ sink, trouble }) => (trouble === undefined ? [] : [`${sink}: ${trouble}`]));
    return { ready: true, revision: 0, message: troubles.join("; "), unfinished: [] };
  });
  return {
    get problem() {
      return problem;
    },
  };
}
