import { refuseAlternatives } from "@orch/api/selectors/selectors.js";
import { forbiddenError } from "@orch/auth/forbidden.js";
import type { Pacer } from "@orch/rpc/pacer.js";
import { methodNotAllowed } from "@orch/status/api-error.js";
import type { Negotiated, Reached, Wanted } from "../call.js";
import { checkServed } from "../check-served.js";
import type { Served } from "../documents/discovery.js";
import { observed, openObserved } from "../flow/observed-stream.js";
import { warningHeaders } from "../http/warning-headers.js";
import { isConnection } from "../long-running.js";
import { type RequestMetrics, sharedLabels } from "../metrics/metrics.js";
import type { Handler } from "../metrics/request-trace.js";
import type { NodeWay } from "../nodes/node-way.js";
import { type ReadDeps, serveGet, serveList, serveWatch } from "../reads.js";
import { documentOf } from "../representation.js";
import type { Reviews } from "../reviews/reviews.js";
import type { Sets } from "../sets/sets.js";
import { warningsOf } from "../stages/recover.js";
import { serveWrite, type WriteDeps } from "../writes.js";
import { checkExplainable, serveExplanation, wantsExplanation } from "./explain.js";
import { type HistoryDeps, historyRead, mayMeanDeleted, serveDeleted, serveHistory } from "./history.js";

export interface ResourceDeps extends ReadDeps, WriteDeps, HistoryDeps {
  readonly served: Served;
  readonly reviews: Reviews;
  /** Absent where no sets of objects are served. */
  readonly sets?: Sets | undefined;
  readonly metrics: RequestMetrics;
  /** Answers what only nodes know. */
  readonly nodeWay: NodeWay;
  /** In which the chunks of lists take turns. */
  readonly pacer: Pacer;
  /** Called with an unexpected error and the request that met it. */
  readonly onFault: (call: Reached, error: unknown) => void;
}

/** Answers a request about a kind by its verb. @throws ApiError for what the path does not take */
export function answerResource(deps: ResourceDeps, call: Negotiated, wanted: Wanted): void | Promise<void> {
  const { request, response, user, verb, seats, audit } = call;
  const {
    subject: { kind, route },
    representation,
  } = wanted;
  const { target } = route;
  const { permitted } = call.decision;
  // What may be seen of some namespaces alone must come to nobody who does not know of that.
  if (permitted !== undefined && (!kind.namespaced || !isScopedVerb(verb))) throw forbiddenError(permitted.attributes);
  const read = historyRead(call, target);
  if (read !== undefined && deps.hasHistory(kind)) return serveHistory(deps, call, { wanted, read });
  checkServed(kind, route, verb, deps.served);
  if (isConnection(target.subresource)) return lasting(deps, call, deps.nodeWay(call, wanted.subject));
  const warnings = warningsOf(call);
  const span = call.trace?.handling(handlerOf(verb));
  const present = { request, response, target, representation, headers: warningHeaders(warnings), span, permitted };
  switch (verb) {
    case "get":
      if (!mayMeanDeleted(deps, kind, target)) return serveGet(deps, present);
      return serveGet(deps, present).catch((error: unknown) => serveDeleted(deps, call, { wanted, error }));
    case "list":
      return serveList(observedReads(deps, call), present);
    case "watch":
      return lasting(deps, call, serveWatch(observedReads(deps, call), present));
    case "create":
    case "update":
    case "patch":
    case "delete":
    case "deletecollection": {
      const change = deps.sets?.of(kind, target);
      if (change !== undefined) return change(call, wanted);
      if (verb === "deletecollection" && !deps.listExtensions) {
        refuseAlternatives(request.query?.get("labelSelector") ?? "");
      }
      const shown = target.subresource === "history" ? documentOf(representation) : representation;
      const write = { request, response, target, representation: shown, warnings, user, span, audit };
      const answer = verb === "create" ? deps.reviews.of(kind) : undefined;
      if (wantsExplanation(request)) {
        checkExplainable(call, answer !== undefined);
        return serveExplanation(deps, call, { wanted, write: { ...write, verb, observer: seats.write } });
      }
      if (answer !== undefined) return answer({ ...write, onFault: (error) => deps.onFault(call, error) });
      return serveWrite(deps, { ...write, verb, observer: seats.write, seats });
    }
    default:
      throw methodNotAllowed();
  }
}

const isScopedVerb = (verb: string): boolean => verb === "list" || verb === "watch";

/** Counted as open for as long as it is. */
function lasting({ metrics }: ResourceDeps, call: Negotiated, answer: Promise<void>): Promise<void> {
  const labels = sharedLabels(call);
  return labels === undefined ? answer : answer.finally(metrics.lasting(labels));
}

/** As spans name it. */
function handlerOf(verb: string): Handler {
  switch (verb) {
    case "get":
      return "Get";
    case "create":
      return "Create";
    case "update":
      return "Update";
    case "patch":
      return "Patch";
    case "delete":
    case "deletecollection":
      return "Delete";
    default:
      return "List";
  }
}

/** What a list comes to and when a watch has begun is of interest to flow control. */
function observedReads(deps: ResourceDeps, { seats, verb }: Negotiated): ReadDeps {
  const observer = seats.stream;
  if (observer === undefined) return deps;
  const { caches, openList, pacer } = deps;
  if (verb !== "list") return { ...deps, caches: (group) => observed(caches(group), observer) };
  return {
    ...deps,
    openList: (request, receiver, options) =>
      openObserved((observing) => openList(request, observing, options), { receiver, observer, pacer }),
  };
}
