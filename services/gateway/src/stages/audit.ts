import type { Tracing } from "@orch/tracing/tracing.js";
import type { AuditDeps } from "../audit/request-audit.js";
import { RequestAudit } from "../audit/request-audit.js";
import type { Authenticated } from "../call.js";
import type { Exchange } from "../http/exchange.js";
import { received } from "./receive.js";
import type { Handler, Journey, Stage } from "./stages.js";

/** Answers an exchange and records what becomes of it. */
export function audited(
  deps: AuditDeps,
  answer: Handler<Journey>,
  tracing?: Tracing | undefined,
): (exchange: Exchange) => void {
  return ({ request, response }) => {
    const audit = new RequestAudit(deps, request, response);
    const journey: Journey = { reached: { ...received({ request, response: audit.response }, tracing), audit } };
    const done = (): void => audit.complete(journey.reached);
    const answered = answer(journey);
    if (answered instanceof Promise) void answered.then(done);
    else done();
  };
}

/** The sender of a request is known: its first event is made, and is kept where requests wait for that. */
export const recordReceived: Stage<Authenticated, Authenticated> = (call) => {
  const kept = call.audit?.received(call);
  return kept instanceof Promise ? kept.then(() => call) : call;
};
