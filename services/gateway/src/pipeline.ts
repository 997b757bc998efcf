import type { Tracing } from "@orch/tracing/tracing.js";
import type { AuditDeps } from "./audit/request-audit.js";
import type { Serve } from "./http/exchange.js";
import { createIdentity, type IdentityDeps } from "./identity/identity.js";
import { type RouteDeps, route } from "./routes/route.js";
import { audited, recordReceived } from "./stages/audit.js";
import { type FindKindDeps, findKind } from "./stages/find-kind.js";
import { authenticate, authorize, impersonate } from "./stages/identify.js";
import { type LimitDeps, limit } from "./stages/limit.js";
import { type MeasureDeps, measured } from "./stages/measure.js";
import { type NegotiateDeps, negotiate } from "./stages/negotiate.js";
import { boundMethod, received } from "./stages/receive.js";
import { type RecoverDeps, recovered } from "./stages/recover.js";
import { refuseOtherSites } from "./stages/refuse-other-sites.js";
import { stages } from "./stages/stages.js";

export interface PipelineDeps extends RouteDeps, FindKindDeps, NegotiateDeps, RecoverDeps, MeasureDeps, LimitDeps {
  readonly identity: IdentityDeps;
  /** Undefined where nothing is traced. */
  readonly tracing?: Tracing | undefined;
  /** What is recorded of requests; nothing where absent. */
  readonly audit?: AuditDeps | undefined;
}

/** Answers each exchange, whatever comes in. The path of a request is the list of stages, read from the top. */
export function createPipeline(deps: PipelineDeps): Serve {
  const identity = createIdentity(deps.identity);
  const { audit } = deps;
  const known = stages().to(boundMethod).to(refuseOtherSites).to(authenticate(identity));
  const path = (audit === undefined ? known : known.to(recordReceived))
    .to(impersonate(identity))
    .to(limit(deps))
    .to(authorize(identity))
    .to(findKind(deps))
    .to(negotiate(deps))
    .end(route(deps));
  const answer = measured(deps, recovered(deps, path));
  if (audit !== undefined) return audited(audit, answer, deps.tracing);
  return (exchange) => void answer({ reached: received(exchange, deps.tracing) });
}
