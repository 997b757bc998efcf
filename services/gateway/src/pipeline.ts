import type { Catalog } from "@orch/api/catalog.js";
import type { UserInfo } from "@orch/auth/user.js";
import type { Negotiator, ObjectFormat } from "@orch/codec/negotiate.js";
import type { Naming } from "@orch/naming/naming.js";
import { ApiError, methodNotAllowed, unknownPath } from "@orch/status/api-error.js";
import { type Call, type Handler, type Stage, through } from "./call.js";
import { discoveryDocument, type Served } from "./discovery.js";
import { wantsAggregated } from "./discovery-accept.js";
import { type AggregatedDiscovery, createAggregatedDiscovery } from "./discovery-aggregated.js";
import type { Exchange } from "./exchange.js";
import { createIdentity, type Identity, type IdentityDeps } from "./identity.js";
import { type RequestMetrics, recordRequest } from "./metrics.js";
import { parsePath, type ResourceRoute } from "./path.js";
import { type ReadDeps, serveGet, serveList, serveWatch } from "./reads.js";
import { type Representation, sendError, sendValue } from "./respond.js";
import { checkTarget, verbOf } from "./verbs.js";
import { serveWrite, type WriteDeps } from "./writes.js";

export interface PipelineDeps extends ReadDeps, WriteDeps {
  readonly catalog: Catalog;
  readonly naming: Naming;
  readonly negotiator: Negotiator<ObjectFormat>;
  readonly identity: IdentityDeps;
  readonly served: Served;
  readonly metrics: RequestMetrics;
  /** Paths outside `/api` and `/apis`. */
  readonly other: (exchange: Exchange) => Promise<void>;
  /** A fault: an error that nothing expected, with the request it met. */
  readonly onFault: (call: Call, error: unknown) => void;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/** Answers one exchange, whatever comes in. The path of a request is the list of stages, read from the top. */
export function createPipeline(deps: PipelineDeps): (exchange: Exchange) => void {
  const identity = createIdentity(deps.identity);
  const stages = [
    measure(deps),
    recoverErrors(deps),
    authenticate(identity),
    authorize(identity),
    negotiate(deps.negotiator),
  ];
  const answer = through(stages, route(deps));
  return (exchange) => {
    void answer(newCall(exchange));
  };
}

const plainJson: Representation = { encoding: "json", pretty: false };
const prettyJson: Representation = { encoding: "json", pretty: true };

function newCall(exchange: Exchange): Call {
  const route = parsePath(exchange.path);
  return {
    exchange,
    route,
    representation: plainJson,
    verb: exchange.method.toLowerCase(),
    user: undefined,
    kind: undefined,
  };
}

function measure({ metrics, now }: PipelineDeps): Stage {
  return (call, next) => {
    const began = now();
    const done = (): void => recordRequest(metrics, call, now() - began);
    const answered = next(call);
    return answered instanceof Promise ? answered.then(done) : done();
  };
}

function recoverErrors({ onFault, negotiator }: PipelineDeps): Stage {
  return (call, next) => {
    const failed = (thrown: unknown): void => {
      const error = ApiError.from(thrown);
      if (!(thrown instanceof ApiError)) onFault(call, thrown);
      sendError(call.exchange, errorRepresentation(negotiator, call.exchange), error);
    };
    try {
      const answered = next(call);
      return answered instanceof Promise ? answered.catch(failed) : undefined;
    } catch (thrown) {
      return failed(thrown);
    }
  };
}

/** What the client reads, where it says something we can; else JSON. */
function errorRepresentation(negotiator: Negotiator<ObjectFormat>, exchange: Exchange): Representation {
  try {
    return representationOf(negotiator, exchange);
  } catch {
    return plainJson;
  }
}

function authenticate(identity: Identity): Stage {
  return (call, next) => {
    const settled = (user: UserInfo): void | Promise<void> => {
      call.user = user;
      return next(call);
    };
    const user = identity.authenticate(call.exchange);
    return user instanceof Promise ? user.then(settled) : settled(user);
  };
}

function authorize(identity: Identity): Stage {
  return (call, next) => {
    const { route, exchange, user } = call;
    if (user === undefined) throw new TypeError("a request that nobody sent");
    if (route.type === "resource") call.verb = verbOf(exchange.method, route, exchange.query);
    const allowed = identity.authorize(call, user);
    return allowed instanceof Promise ? allowed.then(() => next(call)) : next(call);
  };
}

/** Of resources; discovery has a form more, and other paths have media types of their own. */
function negotiate(negotiator: Negotiator<ObjectFormat>): Stage {
  return (call, next) => {
    const { type } = call.route;
    if (type !== "discovery" && type !== "other") call.representation = representationOf(negotiator, call.exchange);
    return next(call);
  };
}

const peopleAgents = /^(curl|Wget|Mozilla\/5\.0)/;

/** Indented where `pretty` says so; unasked for people who look at it, as the reference does. */
function representationOf(negotiator: Negotiator<ObjectFormat>, exchange: Exchange): Representation {
  const { offer, pretty } = negotiator.accept(exchange.header("accept"));
  if (offer.format === "yaml") return { encoding: "yaml", pretty: false };
  const wish = exchange.query?.get("pretty");
  if (wish !== null && wish !== undefined) return wish === "false" || wish === "0" ? plainJson : prettyJson;
  return pretty || peopleAgents.test(exchange.header("user-agent") ?? "") ? prettyJson : plainJson;
}

function route(deps: PipelineDeps): Handler {
  const aggregated = createAggregatedDiscovery(deps);
  return (call) => {
    const { route: to, exchange } = call;
    switch (to.type) {
      case "resource":
        return resource(deps, call, to);
      case "discovery":
        if (exchange.method !== "GET" && exchange.method !== "HEAD") throw methodNotAllowed();
        return discovery(deps, aggregated, { exchange, route: to });
      case "other":
        return deps.other(exchange);
      case "unknown":
        throw unknownPath();
    }
  };
}

interface DiscoveryCall {
  readonly exchange: Exchange;
  readonly route: Parameters<typeof discoveryDocument>[1];
}

function discovery(deps: PipelineDeps, aggregated: AggregatedDiscovery, { exchange, route: to }: DiscoveryCall): void {
  const accept = exchange.header("accept");
  if (to.group === undefined) {
    const form = wantsAggregated(accept, deps.naming);
    if (form !== undefined) {
      aggregated.send(exchange, to.path === "/api" ? "/api" : "/apis", form);
      return;
    }
  }
  const representation = representationOf(deps.negotiator, exchange);
  const address = exchange.header("host") ?? "";
  const value = discoveryDocument(deps.catalog, to, { served: deps.served, address });
  sendValue(exchange, representation, { code: 200, value, headers: to.group === undefined ? ["Vary", "Accept"] : [] });
}

function resource(deps: PipelineDeps, call: Call, to: ResourceRoute): void | Promise<void> {
  const { exchange, representation, user, verb } = call;
  const kind = deps.catalog.resource(to.group, to.version, to.resource);
  if (kind === undefined) throw unknownPath();
  call.kind = kind;
  checkTarget(verb, to);
  // A namespaced object without a namespace, or the other way round, is at no path.
  if (to.namespace !== "" && !kind.namespaced) throw unknownPath();
  if (to.namespace === "" && kind.namespaced && to.name !== "") throw unknownPath();
  if (to.subresource !== "" && !deps.served.subresources.has(to.subresource)) throw unknownPath();
  // All namespaces together can be read and nothing else.
  if (to.namespace === "" && kind.namespaced && verb !== "list" && verb !== "watch") throw methodNotAllowed();
  if (!kind.verbs.some((v) => v === verb) || !deps.served.verbs.has(verb)) throw methodNotAllowed();
  const read = { exchange, route: to, representation };
  switch (verb) {
    case "get":
      return serveGet(deps, read);
    case "list":
      return serveList(deps, read);
    case "watch":
      return serveWatch(deps, read);
    case "create":
    case "update":
    case "delete":
    case "deletecollection":
      if (user === undefined) throw new TypeError("a write without a user");
      return serveWrite(deps, { ...read, verb, user });
    default:
      throw methodNotAllowed();
  }
}
