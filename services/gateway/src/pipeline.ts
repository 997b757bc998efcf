import type { Catalog } from "@orch/api/catalog.js";
import type { Negotiator, ObjectFormat } from "@orch/codec/negotiate.js";
import { ApiError, methodNotAllowed, unknownPath } from "@orch/status/api-error.js";
import { type Call, type Handler, type Stage, through } from "./call.js";
import { discoveryDocument, type Served } from "./discovery.js";
import type { Exchange } from "./exchange.js";
import { createIdentity, type Identity, type IdentityDeps } from "./identity.js";
import { type RequestMetrics, recordRequest } from "./metrics.js";
import { parsePath } from "./path.js";
import { type ReadDeps, serveGet, serveList, serveWatch } from "./reads.js";
import { type Representation, sendError, sendValue } from "./respond.js";
import { verbOf } from "./verbs.js";
import { serveWrite, type WriteDeps } from "./writes.js";

export interface PipelineDeps extends ReadDeps, WriteDeps {
  readonly catalog: Catalog;
  readonly negotiator: Negotiator<ObjectFormat>;
  readonly identity: IdentityDeps;
  readonly served: Served;
  readonly metrics: RequestMetrics;
  /** Paths outside `/api` and `/apis`. */
  readonly other: (exchange: Exchange) => void;
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
  return { exchange, route, representation: plainJson, verb: exchange.method.toLowerCase(), user: undefined };
}

function measure({ metrics, now }: PipelineDeps): Stage {
  return async (call, next) => {
    const began = now();
    await next(call);
    recordRequest(metrics, call, now() - began);
  };
}

function recoverErrors({ onFault, negotiator }: PipelineDeps): Stage {
  return async (call, next) => {
    try {
      await next(call);
    } catch (thrown) {
      const error = ApiError.from(thrown);
      if (!(thrown instanceof ApiError)) onFault(call, thrown);
      sendError(call.exchange, errorRepresentation(negotiator, call.exchange), error);
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
  return async (call, next) => next({ ...call, user: await identity.authenticate(call.exchange) });
}

function authorize(identity: Identity): Stage {
  return async (call, next) => {
    const { route, exchange } = call;
    const verb = route.type === "resource" ? verbOf(exchange.method, route, exchange.query) : call.verb;
    const known = { ...call, verb };
    if (call.user === undefined) throw new TypeError("a request that nobody sent");
    await identity.authorize(known, call.user);
    return next(known);
  };
}

function negotiate(negotiator: Negotiator<ObjectFormat>): Stage {
  return (call, next) => next({ ...call, representation: representationOf(negotiator, call.exchange) });
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
  return async (call) => {
    const { route: to, exchange } = call;
    switch (to.type) {
      case "resource":
        return resource(deps, call, to);
      case "discovery":
        if (exchange.method !== "GET" && exchange.method !== "HEAD") throw methodNotAllowed();
        sendValue(exchange, call.representation, { code: 200, value: discoveryOf(deps, call, to) });
        return;
      case "other":
        deps.other(exchange);
        return;
      case "unknown":
        throw unknownPath();
    }
  };
}

function discoveryOf(deps: PipelineDeps, call: Call, to: Parameters<typeof discoveryDocument>[1]): unknown {
  const address = call.exchange.header("host") ?? "";
  return discoveryDocument(deps.catalog, to, { served: deps.served, address });
}

async function resource(
  deps: PipelineDeps,
  call: Call,
  to: Extract<Call["route"], { type: "resource" }>,
): Promise<void> {
  const { exchange, representation, user, verb } = call;
  const kind = deps.catalog.resource(to.group, to.version, to.resource);
  if (kind === undefined) throw unknownPath();
  // A namespaced object without a namespace, or the other way round, is at no path.
  if (to.namespace !== "" && !kind.namespaced) throw unknownPath();
  if (to.namespace === "" && kind.namespaced && to.name !== "") throw unknownPath();
  if (to.subresource !== "" && !deps.served.subresources.has(to.subresource)) throw unknownPath();
  if (to.namespace === "" && kind.namespaced && verb === "create") throw methodNotAllowed();
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
