import { methodNotAllowed, unknownPath } from "@orch/status/api-error.js";
import type { Found } from "../call.js";
import type { Exchange } from "../http/exchange.js";
import type { Handler } from "../stages/stages.js";
import { createDiscovery, type DiscoveryDeps } from "./discovery.js";
import { answerResource, type ResourceDeps } from "./resource.js";

export interface RouteDeps extends ResourceDeps, DiscoveryDeps {
  /** Paths outside `/api` and `/apis`. */
  readonly other: (exchange: Exchange) => Promise<void>;
}

/** What answers a request, by what its path asks for. */
export function route(deps: RouteDeps): Handler<Found> {
  const discovery = createDiscovery(deps);
  return (call) => {
    const { subject, request } = call;
    switch (subject.type) {
      case "resource":
        return answerResource(deps, call, subject);
      case "discovery":
        if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed();
        return discovery(call, subject);
      case "other":
        return deps.other(call);
      case "unknown":
        throw unknownPath();
    }
  };
}
