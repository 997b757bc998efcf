import { randomUUID } from "node:crypto";
import { callerSource } from "@orch/access/caller-source.js";
import type { Catalog } from "@orch/api/catalog.js";
import { createOpenApi } from "@orch/api/openapi/openapi.js";
import { anyOf } from "@orch/auth/authenticator.js";
import { firstOpinion } from "@orch/auth/authorizer.js";
import { certificateAuthenticator } from "@orch/auth/client-certificate.js";
import { alwaysAllow, alwaysAllowPaths, everyRule, groupMayAll } from "@orch/auth/fixed-authorizers.js";
import type { RuleResolver } from "@orch/auth/rules.js";
import { bearerAuthenticator, type TokenAuthenticator } from "@orch/auth/token-authenticator.js";
import { type TokenEntry, tokenFileAuthenticator } from "@orch/auth/token-file.js";
import { anonymousUser } from "@orch/auth/user.js";
import { objectOffers } from "@orch/codec/negotiate.js";
import type { Naming } from "@orch/naming/naming.js";
import { createPreciseClock } from "@orch/rpc/clock.js";
import type { Clock } from "@orch/runtime/clock.js";
import { type Health, parseHealthPath } from "@orch/runtime/health.js";
import type { Log } from "@orch/runtime/log.js";
import { type Metrics, metricsContentType } from "@orch/runtime/metrics.js";
import type { Service } from "@orch/runtime/service.js";
import type { Call } from "./call.js";
import { createDeliveryMetric } from "./delivery-metric.js";
import { createLimiting } from "./flow/assemble.js";
import type { IdentityDeps } from "./identity.js";
import { createOpenApiRoutes } from "./openapi.js";
import type { Peers } from "./peers.js";
import { registerProbes } from "./probes.js";
import { createRequestMetrics } from "./request-metrics.js";
import type { ConnectionSource } from "./server.js";
import { createGateway, servedParts } from "./service.js";
import { fixedTls, type TlsMaterial, type TlsSource } from "./tls/material.js";

/** What the serving flags say, and what the files that they name hold. */
export interface ServingSettings {
  readonly bindAddress: string;
  readonly port: number;
  readonly requestTimeoutMs: number;
  readonly http2MaxStreams: number;
  readonly minRequestTimeoutMs: number;
  /** Requests that run at once: those that read, those that write. */
  readonly readsInFlight: number;
  readonly writesInFlight: number;
  /** Priority and fairness divides their sum; else each is a bound. */
  readonly flowControl: boolean;
  readonly shutdownGraceMs: number;
  readonly cbor: boolean;
  readonly gzip: boolean;
  readonly podResize: boolean;
  /** Gate StorageVersionHash. */
  readonly storageVersionHash: boolean;
  readonly anonymousAuth: boolean;
  /** Whoever is known may do everything. */
  readonly allowEveryone: boolean;
  readonly alwaysAllowPaths: readonly string[];
  readonly tokens: readonly TokenEntry[];
  readonly tls: TlsMaterial;
}

export interface AssemblyDeps {
  readonly naming: Naming;
  readonly catalog: Catalog;
  readonly caches: Peers;
  readonly resources: Peers;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly logFailure: () => string | undefined;
  readonly clock: Clock;
  /** Where connections come from; the port of the settings where absent. */
  readonly connections?: ConnectionSource | undefined;
  /** Follows the files that the settings' material comes from; that stays as it is where absent. */
  readonly tls?: TlsSource | undefined;
  /** The body of `/version`. */
  readonly version: object;
}

export interface AssembledGateway extends Service {
  /** Known once started. */
  readonly port: number;
}

/** A gateway with its health checks, metrics and the authenticators and authorizers of this build. */
export function assembleGateway(settings: ServingSettings, deps: AssemblyDeps): AssembledGateway {
  const { health, metrics, log, clock, caches, resources } = deps;
  const probes = registerProbes({ health, caches, resources, logFailure: deps.logFailure });
  const documents = createOpenApi(deps.catalog, {
    naming: deps.naming,
    offers: {
      ...servedParts(settings),
      mediaTypes: objectOffers(deps.naming, settings).map((offer) => offer.mediaType),
    },
  });
  const objects = callerSource({
    caches: (group) => caches.of(group),
    clock,
    log: (what, err) => log.warn({ err }, what),
  });
  const tokens = tokenFileAuthenticator(settings.tokens, { naming: deps.naming, apiAudiences });
  const limiting = createLimiting(settings, { ...deps, objects });
  const gateway = createGateway(
    { ...settings, tls: deps.tls ?? fixedTls(settings.tls) },
    {
      catalog: deps.catalog,
      naming: deps.naming,
      identity: identityOf(settings, deps, tokens),
      reviews: {
        tokens,
        apiAudiences,
        rules: settings.allowEveryone ? everyRule : unknownRules,
        now: () => clock.now(),
      },
      limiter: limiting.limiter,
      caches: (group) => caches.of(group),
      resources: (group) => resources.of(group),
      requestMetrics: createRequestMetrics(metrics),
      delivered: createDeliveryMetric(metrics, createPreciseClock()),
      health: async (path, query) => {
        const asked = parseHealthPath(path, query);
        if (asked === undefined) return undefined;
        const answer = await health.answer(asked.kind, asked.query);
        if (answer.failures.length > 0) log.warn({ path, failures: answer.failures }, "health check failed");
        return answer;
      },
      metrics: async () => ({ contentType: metricsContentType, body: await metrics.text() }),
      version: deps.version,
      openApi: createOpenApiRoutes({ documents, now: () => clock.now() }),
      connections: deps.connections,
      onFault: (call, err) => log.error({ err, ...faultFields(call) }, "a request met an unexpected error"),
      newId: randomUUID,
      random: Math.random,
      monotonic: () => clock.monotonic(),
    },
  );
  return {
    async start() {
      await gateway.start();
      limiting.start();
      probes.start();
    },
    async stop() {
      limiting.stop();
      probes.stop();
      await gateway.stop();
    },
    get port() {
      return gateway.port;
    },
  };
}

function faultFields({ exchange, user }: Call): object {
  return { requestId: exchange.id, method: exchange.method, path: exchange.path, user: user?.name };
}

const apiAudiences: readonly string[] = [];

/** Of authorizers that cannot list them. */
const unknownRules: RuleResolver = { rulesFor: () => ({ rules: [], incomplete: true, evaluationError: "" }) };

function identityOf(
  settings: ServingSettings,
  { naming, clock }: AssemblyDeps,
  tokens: TokenAuthenticator,
): IdentityDeps {
  return {
    authenticator: anyOf([
      certificateAuthenticator({ naming, authorities: { has: () => true }, now: clock.now }),
      bearerAuthenticator(tokens, apiAudiences),
    ]),
    naming,
    anonymous: () => (settings.anonymousAuth ? anonymousUser(naming) : undefined),
    failedLogins: { blocked: () => undefined, failed: () => {} },
    authorizer: settings.allowEveryone
      ? alwaysAllow
      : firstOpinion([groupMayAll(naming.mastersGroup), alwaysAllowPaths(settings.alwaysAllowPaths)]),
  };
}
