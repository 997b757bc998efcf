import type { Catalog } from "@orch/api/catalog.js";
import { createNegotiator, discoveryTransforms, objectOffers, objectTransforms } from "@orch/codec/negotiate.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Live } from "@orch/rpc/messages.js";
import type { Caller } from "@orch/rpc/rpc.js";
import type { Call } from "./call.js";
import type { Served } from "./discovery.js";
import type { Limiter } from "./flow/limiter.js";
import { createPacer } from "./flow/pacer.js";
import type { IdentityDeps } from "./identity.js";
import type { RequestMetrics } from "./metrics.js";
import { createOtherPaths, type OtherPathsDeps } from "./other-paths.js";
import { createPipeline } from "./pipeline.js";
import { createResponder } from "./respond.js";
import { createReviews, type ReviewDeps } from "./reviews/reviews.js";
import { type ConnectionSource, createHttpServer, type ServerConfig } from "./server.js";

export interface GatewayConfig extends Omit<ServerConfig, "tokenProtocol"> {
  readonly minRequestTimeoutMs: number;
  /** How long running responses may take once the gateway stops. */
  readonly shutdownGraceMs: number;
  /** CBOR is read and written (gate CBORServingAndStorage). */
  readonly cbor: boolean;
  /** Large answers are compressed for who takes that (gate APIResponseCompression). */
  readonly gzip: boolean;
  /** Pods may be resized in place (gate InPlacePodVerticalScaling). */
  readonly podResize: boolean;
  /** Discovery tells a hash of each kind's stored version (gate StorageVersionHash). */
  readonly storageVersionHash: boolean;
}

export interface GatewayDeps extends OtherPathsDeps {
  readonly catalog: Catalog;
  readonly naming: Naming;
  readonly identity: IdentityDeps;
  /** What reviews are answered by, besides the authorizer of `identity`. */
  readonly reviews: Pick<ReviewDeps, "tokens" | "apiAudiences" | "rules" | "now">;
  readonly limiter: Limiter;
  /** The watch-cache that answers for a group. */
  readonly caches: (group: string) => Caller;
  /** The resource service that owns a group. */
  readonly resources: (group: string) => Caller;
  readonly requestMetrics: RequestMetrics;
  /** Where connections come from; the port of the configuration where absent. */
  readonly connections?: ConnectionSource | undefined;
  readonly delivered: (live: Live) => void;
  readonly onFault: (call: Call, error: unknown) => void;
  readonly newId: () => string;
  readonly random: () => number;
  /** Milliseconds that only grow. */
  readonly monotonic: () => number;
}

export interface Gateway {
  /** Begins to listen; the port is known then. */
  start(): Promise<void>;
  stop(): Promise<void>;
  readonly port: number;
}

/** What this build serves; the issues to come add to it. `resize` is alpha (gate InPlacePodVerticalScaling). */
export function servedParts(config: Pick<GatewayConfig, "podResize" | "storageVersionHash">): Served {
  return {
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
      ...(config.podResize ? ["resize"] : []),
    ]),
  };
}

/** TLS, identity, negotiation and routing; holds no state that another gateway lacks (design, section 1). */
export function createGateway(config: GatewayConfig, deps: GatewayDeps): Gateway {
  const openWatches = new Set<() => void>();
  const otherPaths = createOtherPaths(deps);
  const offers = objectOffers(deps.naming, config);
  const { naming, catalog } = deps;
  const negotiator = createNegotiator(offers, objectTransforms(naming));
  const respond = createResponder((kind) => catalog.type(`meta/v1.${kind}`));
  const { authorizer } = deps.identity;
  const serve = createPipeline({
    catalog,
    naming,
    negotiator,
    discoveryNegotiator: createNegotiator(offers, discoveryTransforms(naming)),
    respond,
    reviews: createReviews({ ...deps.reviews, naming, catalog, negotiator, respond, authorizer }),
    identity: deps.identity,
    limiter: deps.limiter,
    pacer: createPacer(setImmediate),
    caches: deps.caches,
    resources: deps.resources,
    gzip: config.gzip,
    requestTimeoutMs: config.requestTimeoutMs,
    minRequestTimeoutMs: config.minRequestTimeoutMs,
    random: deps.random,
    openWatches,
    delivered: deps.delivered,
    served: servedParts(config),
    metrics: deps.requestMetrics,
    other: otherPaths,
    onFault: deps.onFault,
    now: deps.monotonic,
  });
  const tokenProtocol = `base64url.bearer.${deps.naming.group("authorization")}.`;
  const server = createHttpServer(
    { ...config, tokenProtocol },
    { newId: deps.newId, serve, connections: deps.connections },
  );
  let port = 0;
  return {
    async start() {
      port = await server.listen();
    },
    stop() {
      for (const end of [...openWatches]) end();
      return server.close(config.shutdownGraceMs);
    },
    get port() {
      return port;
    },
  };
}
