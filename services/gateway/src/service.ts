import { learnDefinition } from "@orch/access/learn-definition.js";
import type { Kind } from "@orch/api/catalog.js";
import type { LiveCatalog } from "@orch/api/custom/live-catalog.js";
import {
  createNegotiator,
  customOffers,
  discoveryTransforms,
  objectOffers,
  objectTransforms,
  tablelessTransforms,
} from "@orch/codec/negotiate.js";
import { type HistoryPolicy, hasHistory } from "@orch/history/rules.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Live } from "@orch/rpc/messages.js";
import type { NoteWork } from "@orch/rpc/note-work.js";
import { createPacer } from "@orch/rpc/pacer.js";
import type { Caller } from "@orch/rpc/rpc.js";
import { healthKinds } from "@orch/runtime/health.js";
import type { Target } from "@orch/status/target.js";
import type { Tracing } from "@orch/tracing/tracing.js";
import type { Aggregation } from "./aggregation/assemble.js";
import type { OtherApis } from "./aggregation/other-apis.js";
import { createProxy } from "./aggregation/proxy.js";
import type { AuditDeps } from "./audit/request-audit.js";
import type { Reached } from "./call.js";
import { type ConsoleOptions, withConsole } from "./console/serve-console.js";
import type { Served } from "./documents/discovery.js";
import { createOtherPaths, type OtherPathsDeps } from "./documents/other-paths.js";
import type { Limiter } from "./flow/limiter.js";
import type { Exchange, Serve } from "./http/exchange.js";
import { createLocalTransport } from "./http/local/transport.js";
import { type ConnectionSource, createHttpServer, type ServerConfig } from "./http/server.js";
import type { IdentityDeps } from "./identity/identity.js";
import type { OpenList } from "./kept-lists.js";
import { createLayouts } from "./layout/layouts.js";
import type { RequestMetrics } from "./metrics/metrics.js";
import type { AssembledNodes } from "./nodes/assemble.js";
import { createNodeWay } from "./nodes/node-way.js";
import { createErrorEvents } from "./permitted/error-event.js";
import { createPipeline } from "./pipeline.js";
import { createResponder } from "./respond.js";
import { createReviews, type ReviewDeps } from "./reviews/reviews.js";
import type { SetsOptions } from "./sets/change.js";
import { createSets, hasSets } from "./sets/sets.js";

export interface GatewayConfig extends Omit<ServerConfig, "tokenProtocol"> {
  readonly minRequestTimeoutMs: number;
  /** How long running responses may take once the gateway stops. */
  readonly shutdownGraceMs: number;
  /** Requests that come while it drains are refused with 429; probes are answered. */
  readonly refuseWhileDraining: boolean;
  /** CBOR is read and written (gate CBORServingAndStorage). */
  readonly cbor: boolean;
  /** Large answers are compressed for clients that accept it (gate APIResponseCompression). */
  readonly gzip: boolean;
  /** Pods may be resized in place (gate InPlacePodVerticalScaling). */
  readonly podResize: boolean;
  /** Clients may discover everything in one answer (gate AggregatedDiscoveryEndpoint). */
  readonly aggregatedDiscovery: boolean;
  /** Discovery tells a hash of each kind's stored version (gate StorageVersionHash). */
  readonly storageVersionHash: boolean;
  /** Whose past is kept; nobody's where absent. */
  readonly history?: HistoryPolicy | undefined;
  /** `--list-extensions`. */
  readonly listExtensions: boolean;
}

export interface GatewayDeps extends OtherPathsDeps {
  readonly apis: OtherApis;
  readonly proxy: Aggregation["proxy"];
  readonly nodes: AssembledNodes["way"];
  /** The pages for people; none where absent. */
  readonly console?: ConsoleOptions | undefined;
  readonly catalog: LiveCatalog;
  readonly naming: Naming;
  readonly identity: IdentityDeps;
  /** What reviews need besides the authorizer of `identity`. */
  readonly reviews: Pick<ReviewDeps, "tokens" | "apiAudiences" | "rules" | "now">;
  /** What is recorded of requests; nothing where absent. */
  readonly audit?: AuditDeps | undefined;
  readonly limiter: Limiter;
  /** The watch-cache that answers for a group. */
  readonly caches: (group: string) => Caller;
  readonly openList: OpenList;
  /** The resource service that owns a group. */
  readonly resources: (group: string) => Caller;
  readonly requestMetrics: RequestMetrics;
  /** Where connections come from; the port of the configuration where absent. */
  readonly connections?: ConnectionSource | undefined;
  readonly handshakeFailed?: (() => void) | undefined;
  readonly delivered: (live: Live) => void;
  readonly onFault: (call: Reached, error: unknown) => void;
  readonly noteWork?: NoteWork | undefined;
  readonly tracing?: Tracing | undefined;
  /** What sets of objects need besides. */
  readonly sets: Pick<SetsOptions, "clock" | "isAlone">;
  readonly newId: () => string;
  readonly random: () => number;
  /** Milliseconds that only grow. */
  readonly monotonic: () => number;
}

export interface Gateway {
  /** Begins to listen; the port is known then. */
  start(): Promise<void>;
  /** From now on each connection is told that its next answer is the last; nothing is refused yet. */
  leave(): void;
  /** Takes no new connections, and settles when what comes on those that are there has been answered; watches go on. */
  drain(): Promise<void>;
  stop(): Promise<void>;
  readonly port: number;
  /** Answers an exchange that did not come over the port, as one that did. */
  readonly serve: Serve;
}

/** Whether there are objects of a kind in the store: of what is only shown nothing can be deleted. */
const isKept = ({ verbs }: Kind): boolean => verbs.includes("delete");

/** The subresources that this build serves. `resize` is alpha (gate InPlacePodVerticalScaling). */
export function servedParts(config: Pick<GatewayConfig, "podResize" | "storageVersionHash" | "history">): Served {
  const { history } = config;
  return {
    hasHistory: (kind) =>
      history !== undefined && isKept(kind) && hasHistory(history, { group: kind.group, resource: kind.plural }),
    storageVersionHash: config.storageVersionHash,
    subresources: new Set([
      "status",
      "scale",
      "binding",
      "eviction",
      "ephemeralcontainers",
      "approval",
      "finalize",
      "token",
      ...["log", "exec", "attach", "portforward", "proxy"],
      ...(config.podResize ? ["resize"] : []),
    ]),
  };
}

/** TLS, identity, negotiation and routing; holds no state that another gateway lacks. */
export function createGateway(config: GatewayConfig, deps: GatewayDeps): Gateway {
  const openWatches = new Set<() => void>();
  const otherPaths = createOtherPaths(deps);
  const offers = objectOffers(deps.naming, config);
  const { naming } = deps;
  const { builtIn } = deps.catalog;
  const negotiator = createNegotiator(offers, objectTransforms(naming));
  const customNegotiator = createNegotiator(customOffers(offers), objectTransforms(naming));
  const tablelessNegotiator = createNegotiator(offers, tablelessTransforms(naming));
  const pacer = createPacer(setImmediate);
  const layouts = createLayouts(pacer);
  const respond = createResponder((kind) => builtIn.type(`meta/v1.${kind}`), layouts);
  const { authorizer } = deps.identity;
  const tokenProtocol = `base64url.bearer.${naming.group("authorization")}.`;
  const { requestTimeoutMs } = config;
  const served = servedParts(config);
  const learn = (target: Target): Promise<void> => learnDefinition(deps, target);
  const answer: Serve = createPipeline({
    apis: deps.apis,
    proxy: createProxy({ ...deps.proxy, openWatches, tokenProtocol, requestTimeoutMs }),
    nodeWay: createNodeWay({ ...deps.nodes, openWatches, tokenProtocol }),
    catalog: deps.catalog,
    learn,
    naming,
    negotiator,
    customNegotiator,
    tablelessNegotiator,
    discoveryNegotiator: createNegotiator(offers, config.aggregatedDiscovery ? discoveryTransforms(naming) : []),
    respond,
    reviews: createReviews({
      ...{ ...deps.reviews, naming, catalog: builtIn, negotiator, respond, authorizer },
      ...{ resources: deps.resources, requestTimeoutMs, monotonic: deps.monotonic },
    }),
    sets: hasSets(builtIn)
      ? createSets({
          ...{ ...deps.sets, ...deps, learn, authorizer, respond, requestTimeoutMs },
          transportAs: (user, staging) =>
            createLocalTransport({ serve: (exchange) => answer(exchange), newId: deps.newId, staging }, user),
        })
      : undefined,
    identity: deps.identity,
    audit: deps.audit,
    limiter: deps.limiter,
    pacer,
    layouts,
    caches: deps.caches,
    openList: deps.openList,
    resources: deps.resources,
    gzip: config.gzip,
    requestTimeoutMs,
    minRequestTimeoutMs: config.minRequestTimeoutMs,
    random: deps.random,
    openWatches,
    listExtensions: config.listExtensions,
    permitted: deps.identity.scoped?.permitted,
    errorEvent: createErrorEvents(builtIn, naming),
    delivered: deps.delivered,
    served,
    hasHistory: served.hasHistory,
    metaGroup: naming.metaGroup,
    authorizer,
    metrics: deps.requestMetrics,
    other: otherPaths,
    onFault: deps.onFault,
    noteWork: deps.noteWork,
    tracing: deps.tracing,
    now: deps.monotonic,
  });
  const answerAll = deps.console === undefined ? answer : withConsole(deps.console, answer);
  let refusing = false;
  const serve: Serve = (exchange) =>
    refusing && !isProbe(exchange.request.path) ? comeAgain(exchange) : answerAll(exchange);
  const server = createHttpServer(
    { ...config, tokenProtocol },
    {
      newId: deps.newId,
      connections: deps.connections,
      handshakeFailed: deps.handshakeFailed,
      serve,
    },
  );
  const drain = (): Promise<void> => {
    refusing = config.refuseWhileDraining;
    return server.drain(config.shutdownGraceMs);
  };
  let port = 0;
  return {
    async start() {
      port = await server.listen();
    },
    leave: server.leave,
    drain,
    async stop() {
      await drain();
      for (const end of [...openWatches]) end();
      await server.close(config.shutdownGraceMs);
    },
    get port() {
      return port;
    },
    serve,
  };
}

const isProbe = (path: string): boolean =>
  healthKinds.some((kind) => path === `/${kind}` || path.startsWith(`/${kind}/`));

/** The reference answers in these words and with these seconds. */
function comeAgain({ response }: Exchange): void {
  const headers = ["Content-Type", "text/plain; charset=utf-8", "Retry-After", "5"];
  response.send(429, headers, "The apiserver is shutting down, please try again later.\n");
}
