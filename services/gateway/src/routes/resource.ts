import type { Pacer } from "@orch/rpc/pacer.js";
import { methodNotAllowed } from "@orch/status/api-error.js";
import type { Negotiated, Reached, Wanted } from "../call.js";
import { checkServed } from "../check-served.js";
import type { Served } from "../documents/discovery.js";
import { observed } from "../flow/observed-stream.js";
import { warningHeaders } from "../http/warning-headers.js";
import { type ReadDeps, serveGet, serveList, serveWatch } from "../reads.js";
import type { Reviews } from "../reviews/reviews.js";
import { warningsOf } from "../stages/recover.js";
import { serveWrite, type WriteDeps } from "../writes.js";

export interface ResourceDeps extends ReadDeps, WriteDeps {
  readonly served: Served;
  readonly reviews: Reviews;
  /** In which the chunks of lists take turns. */
  readonly pacer: Pacer;
  /** Called with an unexpected error and the request that met it. */
  readonly onFault: (call: Reached, error: unknown) => void;
}

/** Answers a request about a kind by its verb. @throws ApiError for what the path does not take */
export function answerResource(deps: ResourceDeps, call: Negotiated, wanted: Wanted): void | Promise<void> {
  const { request, response, user, verb, seats } = call;
  const {
    subject: { kind, route },
    representation,
  } = wanted;
  checkServed(kind, route, verb, deps.served);
  const { target } = route;
  const warnings = warningsOf(call);
  const read = { request, response, target, representation, headers: warningHeaders(warnings) };
  switch (verb) {
    case "get":
      return serveGet(deps, read);
    case "list":
      return serveList(observedReads(deps, call), read);
    case "watch":
      return serveWatch(observedReads(deps, call), read);
    case "create":
    case "update":
    case "patch":
    case "delete":
    case "deletecollection": {
      const write = { request, response, target, representation, warnings, user };
      const answer = verb === "create" ? deps.reviews.of(kind) : undefined;
      if (answer !== undefined) return answer({ ...write, onFault: (error) => deps.onFault(call, error) });
      return serveWrite(deps, { ...write, verb, observer: seats.write });
    }
    default:
      throw methodNotAllowed();
  }
}

/** What a list comes to and when a watch has begun is of interest to flow control. */
function observedReads(deps: ResourceDeps, { seats, verb }: Negotiated): ReadDeps {
  const observer = seats.stream;
  if (observer === undefined) return deps;
  const pacer = verb === "list" ? deps.pacer : undefined;
  return { ...deps, caches: (group) => observed(deps.caches(group), observer, pacer) };
}
