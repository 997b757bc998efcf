import { randomUUID } from "node:crypto";
import { type Access, createAccess } from "@orch/access/access.js";
import { callerSource } from "@orch/access/caller-source.js";
import { ConfigurationError } from "@orch/access/configuration.js";
import type { AccessSettings } from "@orch/access/settings.js";
import type { LiveCatalog } from "@orch/api/custom/live-catalog.js";
import { createOpenApi } from "@orch/api/openapi/openapi.js";
import { type Authenticator, anyOf } from "@orch/auth/authenticator.js";
import { certificateAuthenticator } from "@orch/auth/client-certificate.js";
import { type FrontProxyOptions, frontProxyAuthenticator } from "@orch/auth/front-proxy.js";
import type { Permissions } from "@orch/auth/rules.js";
import { bearerAuthenticator } from "@orch/auth/token-authenticator.js";
import { objectOffers } from "@orch/codec/negotiate.js";
import type { Naming } from "@orch/naming/naming.js";
import { createPreciseClock } from "@orch/rpc/clock.js";
import type { NoteWork } from "@orch/rpc/note-work.js";
import type { Clock } from "@orch/runtime/clock.js";
import { type Health, parseHealthPath } from "@orch/runtime/health.js";
import type { Log } from "@orch/runtime/log.js";
import { type Metrics, metricsContentType } from "@orch/runtime/metrics.js";
import type { Service } from "@orch/runtime/service.js";
import type { Call } from "./call.js";
import { createDeliveryMetric } from "./delivery-metric.js";
import { createFailedLogins } from "./failed-logins.js";
import { createLimiting } from "./flow/assemble.js";
import type { ConnectionSource } from "./http/server.js";
import type { IdentityDeps } from "./identity.js";
import { keepOwnObjects } from "./own-objects/keep.js";
import type { Peers } from "./peers.js";
import { registerProbes } from "./probes.js";
import { createRequestMetrics } from "./request-metrics.js";
import { createGateway, type Gateway, servedParts } from "./service.js";
import type { TlsFlagValues } from "./tls/flags.js";
import { createTlsFiles, type TlsFiles } from "./tls/settings.js";

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
  /** `--shutdown-send-retry-after`. */
  readonly refuseWhileDraining: boolean;
  readonly cbor: boolean;
  readonly gzip: boolean;
  readonly podResize: boolean;
  /** Gate AggregatedDiscoveryEndpoint. */
  readonly aggregatedDiscovery: boolean;
  /** Gate StorageVersionHash. */
  readonly storageVersionHash: boolean;
  /** Who is who and who may do what. */
  readonly access: AccessSettings;
  /** What the gateway is called among those of the cluster; undefined where another process says so for it. */
  readonly identity: { readonly host: string; readonly isAlone: boolean } | undefined;
  /** Paths of certificates, and how front proxies are known. */
  readonly tls: TlsFlagValues;
}

export interface AssemblyDeps {
  readonly naming: Naming;
  readonly catalog: LiveCatalog;
  readonly caches: Peers;
  readonly resources: Peers;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly clock: Clock;
  readonly noteWork?: NoteWork | undefined;
  /** Where connections come from; the port of the settings where absent. */
  readonly connections?: ConnectionSource | undefined;
  /** The body of `/version`. */
  readonly version: object;
}

export interface AssembledGateway extends Service, Pick<Gateway, "leave" | "drain"> {
  /** Known once started. */
  readonly port: number;
  /** Who may do what, for services in the same process. */
  readonly permissions: Permissions;
}

/** A gateway with its health checks, metrics, authenticators and authorizers. @throws ConfigurationError */
export async function assembleGateway(settings: ServingSettings, deps: AssemblyDeps): Promise<AssembledGateway> {
  const { health, metrics, log, clock, caches, resources } = deps;
  const probes = registerProbes({ health, caches, resources });
  void deps.catalog.loaded.then(health.postStartHook("crd-informer-synced"));
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
  const tls = await createTlsFiles(settings.tls, { log, clock, metrics, refuse });
  const access = await createAccess(settings.access, { ...deps, objects, random: Math.random });
  const { authentication, authorization } = access;
  health.check("authorization", () => authorization.health(), { livez: false });
  const limiting = createLimiting(settings, {
    ...deps,
    objects,
    configured: health.postStartHook("priority-and-fairness-config-consumer"),
  });
  const gateway = createGateway(
    { ...settings, tls },
    {
      catalog: deps.catalog,
      naming: deps.naming,
      identity: identityOf(settings, deps, { access, tls }),
      reviews: { ...authentication, rules: authorization.rules, now: () => clock.now() },
      limiter: limiting.limiter,
      flowTables: limiting.tables,
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
      healthPaths: () => health.paths,
      metrics: async () => ({ contentType: metricsContentType, body: await metrics.text() }),
      version: deps.version,
      openId: authentication.openId,
      openApi: { documents, now: () => clock.now() },
      connections: deps.connections,
      onFault: (call, err) => log.error({ err, ...faultFields(call) }, "a request met an unexpected error"),
      noteWork: deps.noteWork,
      newId: randomUUID,
      random: Math.random,
      monotonic: () => clock.monotonic(),
    },
  );
  const stopping = new AbortController();
  const keepObjects = ({ host, isAlone }: NonNullable<ServingSettings["identity"]>): Promise<void> => {
    const place = isAlone ? host : `${host}:${gateway.port}`;
    const own = {
      ...deps,
      objects,
      tls,
      flags: settings.tls,
      log: (what: string, err: unknown) => log.warn({ err }, what),
    };
    return keepOwnObjects(own, { place, host, uid: randomUUID(), now: clock.now }, stopping.signal);
  };
  return {
    async start() {
      access.start();
      await gateway.start();
      limiting.start();
      probes.start();
      if (settings.identity !== undefined) void keepObjects(settings.identity);
    },
    leave: gateway.leave,
    drain: gateway.drain,
    async stop() {
      // A renewal that is under way is not waited for: the service that it asks may be away.
      stopping.abort();
      await gateway.drain();
      limiting.stop();
      probes.stop();
      await gateway.stop();
      tls.stop();
      await access.stop();
    },
    get port() {
      return gateway.port;
    },
    permissions: { authorizer: authorization.authorizer, rules: authorization.granting },
  };
}

function faultFields({ exchange, user }: Call): object {
  return { requestId: exchange.id, method: exchange.method, path: exchange.path, user: user?.name };
}

function refuse(problem: string): never {
  throw new ConfigurationError(problem);
}

/** Addresses whose wrong credentials are counted; of more those that were quiet for longest are forgotten. */
const maxFailingAddresses = 10_000;

function identityOf(
  { access: { values }, tls: flags }: ServingSettings,
  { naming, clock, log }: AssemblyDeps,
  { access, tls }: { readonly access: Access; readonly tls: TlsFiles },
): IdentityDeps {
  const { tokens, apiAudiences, anonymous } = access.authentication;
  const now = clock.now;
  return {
    naming,
    authenticator: access.counted(
      anyOf([
        ...frontProxies(flags, { naming, now, authorities: tls.proxyAuthorities }),
        certificateAuthenticator({ naming, now, authorities: tls.clientAuthorities }),
        bearerAuthenticator(tokens, apiAudiences),
      ]),
    ),
    anonymous,
    refused: (why) => log.debug({ why }, "credentials are refused"),
    failedLogins: createFailedLogins({
      perSecond: values["failed-login-qps"],
      burst: values["failed-login-burst"],
      clock,
      maxAddresses: maxFailingAddresses,
    }),
    authorizer: access.authorization.authorizer,
  };
}

function frontProxies(
  flags: ServingSettings["tls"],
  deps: Pick<FrontProxyOptions, "naming" | "now" | "authorities">,
): readonly Authenticator[] {
  if (flags["requestheader-client-ca-file"] === "") return [];
  return [
    frontProxyAuthenticator({
      ...deps,
      allowedNames: flags["requestheader-allowed-names"],
      usernameHeaders: flags["requestheader-username-headers"],
      uidHeaders: flags["requestheader-uid-headers"],
      groupHeaders: flags["requestheader-group-headers"],
      extraHeaderPrefixes: flags["requestheader-extra-headers-prefix"],
    }),
  ];
}
