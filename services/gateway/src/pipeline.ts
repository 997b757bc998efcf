import type { Kind } from "@orch/api/catalog.js";
import type { CatalogHolder } from "@orch/api/custom/live-catalog.js";
import type { UserInfo } from "@orch/auth/user.js";
import type { Negotiator, ObjectFormat } from "@orch/codec/negotiate.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Pacer } from "@orch/rpc/pacer.js";
import { ApiError, badRequest, methodNotAllowed, unknownPath } from "@orch/status/api-error.js";
import { type Call, type Handler, type Stage, through } from "./call.js";
import { deprecationOf } from "./deprecation.js";
import { discoveryDocument, type Served } from "./documents/discovery.js";
import { type AggregatedDiscovery, createAggregatedDiscovery } from "./documents/discovery-aggregated.js";
import type { Limiter } from "./flow/limiter.js";
import { observed } from "./flow/observed-stream.js";
import type { Exchange } from "./http/exchange.js";
import { warningHeaders } from "./http/warning-headers.js";
import { createIdentity, type Identity, type IdentityDeps } from "./identity.js";
import { type RequestMetrics, recordRequest } from "./metrics.js";
import { parsePath, type ResourceRoute } from "./path.js";
import { type ReadDeps, serveGet, serveList, serveWatch } from "./reads.js";
import { plainJson, type Representation, representationOf } from "./representation.js";
import type { Responder } from "./respond.js";
import type { Reviews } from "./reviews/reviews.js";
import { checkServed } from "./target.js";
import { verbOf } from "./verbs.js";
import { serveWrite, type WriteDeps } from "./writes.js";

export interface PipelineDeps extends ReadDeps, WriteDeps {
  readonly naming: Naming;
  readonly catalog: CatalogHolder;
  readonly negotiator: Negotiator<ObjectFormat>;
  /** Of `/api` and `/apis`. */
  readonly discoveryNegotiator: Negotiator<ObjectFormat>;
  readonly respond: Responder;
  readonly identity: IdentityDeps;
  readonly limiter: Limiter;
  /** In which the chunks of lists take turns. */
  readonly pacer: Pacer;
  readonly served: Served;
  readonly reviews: Reviews;
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
    boundMethod,
    authenticate(identity),
    impersonate(identity),
    limit(deps.limiter),
    authorize(identity),
    negotiate(deps.negotiator),
  ];
  const answer = through(stages, route(deps));
  return (exchange) => {
    void answer(newCall(exchange));
  };
}

function newCall(exchange: Exchange): Call {
  const route = parsePath(exchange.path);
  return {
    exchange,
    route,
    representation: plainJson,
    verb: route.type === "resource" ? verbOf(exchange.method, route, exchange.query) : exchange.method.toLowerCase(),
    sender: undefined,
    user: undefined,
    seats: undefined,
    kind: undefined,
    deprecation: undefined,
    auditAnnotations: new Map(),
  };
}

function measure({ metrics, now }: PipelineDeps): Stage {
  return (call, next) => {
    const began = now();
    const done = (): void => {
      call.seats?.release();
      recordRequest(metrics, call, now() - began);
    };
    const answered = next(call);
    return answered instanceof Promise ? answered.then(done) : done();
  };
}

function recoverErrors({ onFault, negotiator, respond }: PipelineDeps): Stage {
  return (call, next) => {
    const failed = (thrown: unknown): void => {
      const error = ApiError.from(thrown);
      if (!(thrown instanceof ApiError)) onFault(call, thrown);
      respond.error(call.exchange, errorRepresentation(negotiator, call), { error, warnings: warningsOf(call) });
    };
    try {
      const answered = next(call);
      return answered instanceof Promise ? answered.catch(failed) : undefined;
    } catch (thrown) {
      return failed(thrown);
    }
  };
}

/** No method that anybody has defined is longer. */
const longestMethod = 64;

/** HTTP/2 takes any word for a method. It is looked up in rules and told to authorizers: an endless one is no request. */
const boundMethod: Stage = (call, next) => {
  if (call.exchange.method.length > longestMethod) throw badRequest(`a method has at most ${longestMethod} characters`);
  return next(call);
};

/** What the client reads, where it says something we can; else JSON. */
function errorRepresentation(negotiator: Negotiator<ObjectFormat>, { exchange }: Call): Representation {
  try {
    return representationOf(negotiator, exchange, "get");
  } catch {
    return plainJson;
  }
}

function authenticate(identity: Identity): Stage {
  return (call, next) => {
    const settled = (user: UserInfo): void | Promise<void> => {
      call.sender = user;
      return next(call);
    };
    const user = identity.authenticate(call.exchange);
    return user instanceof Promise ? user.then(settled) : settled(user);
  };
}

function impersonate(identity: Identity): Stage {
  return (call, next) => {
    if (call.sender === undefined) throw new TypeError("a request that nobody sent");
    const settled = (user: UserInfo): void | Promise<void> => {
      call.user = user;
      return next(call);
    };
    const user = identity.impersonated(call.exchange, call.sender);
    return user instanceof Promise ? user.then(settled) : settled(user);
  };
}

/** Waits for the seats that the call needs, of flow control; `measure` gives them back. */
function limit(limiter: Limiter): Stage {
  return (call, next) => {
    const entered = limiter.enter(call);
    return entered === undefined ? next(call) : entered.then(() => next(call));
  };
}

function authorize(identity: Identity): Stage {
  return (call, next) => {
    const { user } = call;
    if (user === undefined) throw new TypeError("a request that nobody sent");
    const allowed = identity.authorize(call, user);
    return allowed instanceof Promise ? allowed.then(() => next(call)) : next(call);
  };
}

/** Of resources; discovery has a form more, and other paths have media types of their own. */
function negotiate(negotiator: Negotiator<ObjectFormat>): Stage {
  return (call, next) => {
    const { type } = call.route;
    if (type !== "discovery" && type !== "other") {
      call.representation = representationOf(negotiator, call.exchange, call.verb);
    }
    return next(call);
  };
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

function discovery(
  deps: PipelineDeps,
  aggregated: AggregatedDiscovery,
  { exchange, route: to }: DiscoveryCall,
): void | Promise<void> {
  const isRoot = to.group === undefined;
  const representation = representationOf(isRoot ? deps.discoveryNegotiator : deps.negotiator, exchange, "get");
  const { transform } = representation;
  if (isRoot && transform !== undefined) {
    const path = to.path === "/api" ? "/api" : "/apis";
    return aggregated.send(exchange, representation, { path, version: transform.version });
  }
  const address = exchange.header("host") ?? "";
  const value = discoveryDocument(deps.catalog.now, to, { served: deps.served, address });
  deps.respond.value(exchange, representation, { code: 200, value, headers: isRoot ? ["Vary", "Accept"] : [] });
}

function signalDeprecation({ catalog, naming }: PipelineDeps, call: Call, kind: Kind): void {
  const deprecation = deprecationOf(kind, catalog.now.release);
  if (deprecation === undefined) return;
  call.deprecation = deprecation;
  call.auditAnnotations.set(naming.auditKey("deprecated"), "true");
  if (deprecation.removedRelease === "") return;
  call.auditAnnotations.set(naming.auditKey("removed-release"), deprecation.removedRelease);
}

function warningsOf({ deprecation }: Call): readonly string[] {
  return deprecation === undefined ? [] : [deprecation.warning];
}

function resource(deps: PipelineDeps, call: Call, to: ResourceRoute): void | Promise<void> {
  const { exchange, representation, user, verb } = call;
  const kind = deps.catalog.now.resource(to.group, to.version, to.resource);
  if (kind === undefined) throw unknownPath();
  call.kind = kind;
  signalDeprecation(deps, call, kind);
  checkServed(kind, to, verb, deps.served);
  const warnings = warningsOf(call);
  const read = { exchange, route: to, representation, headers: warningHeaders(warnings) };
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
    case "deletecollection":
      if (user === undefined) throw new TypeError("a write without a user");
      if (verb === "create" && deps.reviews.isReview(kind)) {
        const onFault = (error: unknown): void => deps.onFault(call, error);
        return deps.reviews.serve(kind, { exchange, route: to, representation, warnings, user, onFault });
      }
      return serveWrite(deps, {
        exchange,
        route: to,
        representation,
        warnings,
        verb,
        user,
        observer: call.seats?.write,
      });
    default:
      throw methodNotAllowed();
  }
}

/** What a list comes to and when a watch has begun is of interest to flow control. */
function observedReads(deps: PipelineDeps, { seats, verb }: Call): ReadDeps {
  const observer = seats?.stream;
  if (observer === undefined) return deps;
  const pacer = verb === "list" ? deps.pacer : undefined;
  return { ...deps, caches: (group) => observed(deps.caches(group), observer, pacer) };
}
