import { methodNotAllowed, unknownPath } from "@orch/status/api-error.js";
import type { PassOn } from "../aggregation/proxy.js";
import type { Negotiated } from "../call.js";
import type { Exchange } from "../http/exchange.js";
import type { Handler } from "../stages/stages.js";
import { createDiscovery, type DiscoveryDeps } from "./discovery.js";
import { answerResource, type ResourceDeps } from "./resource.js";

export interface RouteDeps extends ResourceDeps, DiscoveryDeps {
  /** Passes requests on to servers of others. */
  readonly proxy: PassOn;
  /** Paths outside `/api` and `/apis`. */
  readonly other: (exchange: Exchange) => Promise<void>;
}

/** What answers a request, by what its path asks for. */
export function route(deps: RouteDeps): Handler<Negotiated> {
  const discovery = createDiscovery(deps);
  return (call) => {
    const { wanted, request } = call;
    switch (wanted.type) {
      case "resource":
        return answerResource(deps, call, wanted);
      case "remote":
        return deps.proxy(call, wanted);
      case "discovery":
        if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed();
        return discovery(call, wanted);
      case "other":
        return deps.other(call);
      case "unknown":
        throw unknownPath();
    }
  };
}
