import type { Negotiator, ObjectFormat } from "@orch/codec/negotiate.js";
import { discoveryDocument } from "../documents/discovery.js";
import { type AggregatedDeps, createAggregatedDiscovery } from "../documents/discovery-aggregated.js";
import type { Exchange } from "../http/exchange.js";
import { representationOf } from "../representation.js";
import type { Responder } from "../respond.js";

export interface DiscoveryDeps extends AggregatedDeps {
  readonly negotiator: Negotiator<ObjectFormat>;
  /** Of `/api` and `/apis`. */
  readonly discoveryNegotiator: Negotiator<ObjectFormat>;
  readonly respond: Responder;
}

type DiscoveryRoute = Parameters<typeof discoveryDocument>[1];

/** Answers `/api`, `/apis` and the groups and versions below them. */
export function createDiscovery(
  deps: DiscoveryDeps,
): (exchange: Exchange, route: DiscoveryRoute) => void | Promise<void> {
  const { catalog, apis, served, respond, negotiator, discoveryNegotiator } = deps;
  const aggregated = createAggregatedDiscovery(deps);
  return ({ request, response }, to) => {
    const isRoot = to.group === undefined;
    const representation = representationOf(isRoot ? discoveryNegotiator : negotiator, request, "get");
    const { transform } = representation;
    if (isRoot && transform !== undefined) {
      const path = to.path === "/api" ? "/api" : "/apis";
      return aggregated.send({ request, response }, representation, { path, version: transform.version });
    }
    const value = discoveryDocument(apis.groupsWith(catalog.now), to, {
      served,
      address: request.header("host") ?? "",
    });
    respond.value(response, representation, { code: 200, value, headers: isRoot ? ["Vary", "Accept"] : [] });
  };
}
