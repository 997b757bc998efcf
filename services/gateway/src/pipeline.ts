import type { Serve } from "./http/exchange.js";
import { createIdentity, type IdentityDeps } from "./identity.js";
import { type RouteDeps, route } from "./routes/route.js";
import { type FindKindDeps, findKind } from "./stages/find-kind.js";
import { authenticate, authorize, impersonate } from "./stages/identify.js";
import { type LimitDeps, limit } from "./stages/limit.js";
import { type MeasureDeps, measured } from "./stages/measure.js";
import { type NegotiateDeps, negotiate } from "./stages/negotiate.js";
import { boundMethod, received } from "./stages/receive.js";
import { type RecoverDeps, recovered } from "./stages/recover.js";
import { stages } from "./stages/stages.js";

export interface PipelineDeps extends RouteDeps, FindKindDeps, NegotiateDeps, RecoverDeps, MeasureDeps, LimitDeps {
  readonly identity: IdentityDeps;
}

/** Answers each exchange, whatever comes in. The path of a request is the list of stages, read from the top. */
export function createPipeline(deps: PipelineDeps): Serve {
  const identity = createIdentity(deps.identity);
  const path = stages()
    .to(boundMethod)
    .to(authenticate(identity))
    .to(impersonate(identity))
    .to(limit(deps.limiter))
    .to(authorize(identity))
    .to(findKind(deps))
    .to(negotiate(deps))
    .end(route(deps));
  const answer = measured(deps, recovered(deps, path));
  return (exchange) => void answer({ reached: received(exchange) });
}
