import { randomUUID } from "node:crypto";
import { createAccess } from "@orch/access/access.js";
import type { Authorization } from "@orch/access/authorization.js";
import { callerSource } from "@orch/access/caller-source.js";
import { ConfigurationError } from "@orch/access/configuration.js";
import type { LiveCatalog } from "@orch/api/custom/live-catalog.js";
import type { Permissions } from "@orch/auth/rules.js";
import type { UserInfo } from "@orch/auth/user.js";
import type { Transport } from "@orch/client/http/transport.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Egress } from "@orch/outbound/egress/egress.js";
import { createPreciseClock } from "@orch/rpc/clock.js";
import type { Peers } from "@orch/rpc/group-peers.js";
import type { NoteWork } from "@orch/rpc/note-work.js";
import type { Caller } from "@orch/rpc/rpc.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Health } from "@orch/runtime/health.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import type { ProfilingPages, Service } from "@orch/runtime/service.js";
import type { Tracing } from "@orch/tracing/tracing.js";
import { assembleAggregation } from "./aggregation/assemble.js";
import { assembleIdentity } from "./assembly/identity.js";
import { assembleOtherPaths } from "./assembly/other-paths.js";
import { type AssembledAudit, assembleAudit } from "./audit/assemble.js";
import { createAuditMetrics } from "./audit/metrics.js";
import type { Reached } from "./call.js";
import { consoleOptions } from "./console/assemble.js";
import type { SetVerbosity } from "./documents/verbosity.js";
import { createLimiting } from "./flow/assemble.js";
import { createLocalTransport } from "./http/local/transport.js";
import type { ConnectionSource } from "./http/server.js";
import type { ScopedReads } from "./identity/identity.js";
import { createKeptListMetric, createKeptLists, listsOf } from "./kept-lists.js";
import { registerKeyProbes } from "./key-probes.js";
import { createDeliveryMetric } from "./metrics/delivery-metric.js";
import { createRequestMetrics } from "./metrics/request-metrics.js";
import { assembleNodes } from "./nodes/assemble.js";
import { assembleOwnObjects } from "./own-objects/assemble.js";
import { createTokenUse } from "./own-objects/token-use.js";
import { createNamespaceNames, type NamespaceNames } from "./permitted/namespace-names.js";
import { createPermittedNamespaces } from "./permitted/permitted-namespaces.js";
import { registerProbes } from "./probes.js";
import { createGateway, type Gateway } from "./service.js";
import type { ServingSettings } from "./serving-settings.js";
import { hasSets } from "./sets/sets.js";
import { createTlsFiles } from "./tls/settings.js";

/** What differs between a process of its own and one with other services. */
export interface AssemblyDeps {
  readonly naming: Naming;
  readonly catalog: LiveCatalog;
  readonly caches: Peers;
  readonly resources: Peers;
  /** The service that keeps audit events; needed where the settings say that some are made. */
  readonly audit?: AuditPeer | undefined;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly clock: Clock;
  readonly noteWork?: NoteWork | undefined;
  /** Undefined where nothing is traced. */
  readonly tracing?: Tracing | undefined;
  /** Where connections come from; the port of the settings where absent. */
  readonly connections?: ConnectionSource | undefined;
  /** Of this process's log, for `/debug/flags/v`; absent where one process is asked for others. */
  readonly setVerbosity?: SetVerbosity | undefined;
  /** Of this process, served where the settings say so. */
  readonly profiling?: ProfilingPages | undefined;
  /** The body of `/version`. */
  readonly version: object;
  /** Of this process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** By which way connections leave; straight where absent. */
  readonly egress?: Egress | undefined;
  /** Whether clients in this process may be given transports; they may not where absent. */
  readonly local?: boolean;
}

export interface AuditPeer {
  readonly service: Pick<Caller, "call">;
  /** Of this process. */
  readonly pid: number;
  /** Counts events that are lost, where the process counts those of sinks too. */
  readonly lost?: ((plugin: string, events: number) => void) | undefined;
}

export interface AssembledGateway extends Service, Pick<Gateway, "leave" | "drain"> {
  /** Known once started. */
  readonly port: number;
  /** Authorization, for services in the same process. */
  readonly permissions: Permissions;
  /** By which a client in this process reaches the gateway as a user, where that was asked for. */
  transportAs(user: UserInfo): Transport;
}

/** A gateway with its health checks, metrics, authenticators and authorizers. @throws ConfigurationError */
export async function assembleGateway(settings: ServingSettings, deps: AssemblyDeps): Promise<AssembledGateway> {
  const { health, metrics, log, clock, catalog } = deps;
  const caches = (group: string) => deps.caches.of(group);
  const resources = (group: string) => deps.resources.of(group);
  const probes = registerProbes(deps);
  const keyProbes = registerKeyProbes(deps);
  const requestMetrics = createRequestMetrics(metrics);
  catalog.onChange(({ before, after }) => {
    if (before !== undefined && after === undefined)
      requestMetrics.forget({ group: before.group, resource: before.plural });
  });
  void catalog.loaded.then(health.postStartHook("crd-informer-synced"));
  const objects = callerSource({ caches, clock, log: (what, err) => log.warn({ err }, what) });
  const tls = await createTlsFiles(settings.tls, { log, clock, metrics, refuse });
  const secretUsed = createTokenUse({
    ...deps,
    log: (err) => log.debug({ err }, "the use of a token is not recorded"),
  });
  const access = await createAccess(settings.access, { ...deps, objects, random: Math.random, secretUsed });
  const { authentication, authorization } = access;
  health.check("authorization", () => authorization.health(), { livez: false });
  const configured = health.postStartHook("priority-and-fairness-config-consumer");
  const limiting = createLimiting(settings, { ...deps, objects, configured });
  const { tables: flowTables } = limiting;
  const aggregation = await assembleAggregation(settings, {
    ...{ ...deps, objects, refuse, random: Math.random },
    dial: deps.egress?.dial("cluster"),
  });
  const { apis } = aggregation;
  const nodes = await assembleNodes(settings, {
    ...{ ...deps, refuse, random: Math.random, secret: aggregation.proxy.secret },
    dial: deps.egress?.dial("cluster"),
  });
  const audit = await auditOf(settings, deps);
  const namespaces = createNamespaceNames(objects, clock);
  const scoped = settings.listExtensions ? scopedReads(catalog, authorization, { namespaces, clock }) : undefined;
  const spared = createKeptListMetric(metrics);
  const gateway = createGateway(
    { ...settings, tls },
    {
      ...assembleOtherPaths(settings, { ...deps, flowTables, apis, openId: authentication.openId }),
      apis,
      proxy: aggregation.proxy,
      nodes: nodes.way,
      console: consoleOptions(settings.console, { naming: deps.naming, log }),
      catalog,
      naming: deps.naming,
      identity: assembleIdentity(settings, {
        ...deps,
        access,
        tls,
        scoped,
        local: deps.local === true || hasSets(catalog.builtIn),
      }),
      reviews: { ...authentication, rules: authorization.rules, now: () => clock.now() },
      audit: audit?.deps,
      limiter: limiting.limiter,
      caches,
      openList: deps.local === true ? listsOf(caches) : createKeptLists(caches, spared),
      resources,
      requestMetrics,
      delivered: createDeliveryMetric(metrics, createPreciseClock()),
      connections: deps.connections,
      handshakeFailed: handshakeCounter(metrics),
      onFault: (call, err) => log.error({ err, ...faultFields(call) }, "a request met an unexpected error"),
      noteWork: deps.noteWork,
      tracing: deps.tracing,
      sets: { clock, isAlone: settings.identity?.isAlone === true },
      newId: randomUUID,
      random: Math.random,
      monotonic: () => clock.monotonic(),
    },
  );
  const own = assembleOwnObjects(settings, { ...deps, objects, tls });
  return {
    async start() {
      access.start();
      await gateway.start();
      limiting.start();
      probes.start();
      keyProbes.start();
      own.start(gateway.port);
      aggregation.start();
    },
    leave: gateway.leave,
    drain: gateway.drain,
    async stop() {
      own.stop();
      aggregation.stop();
      await gateway.drain();
      limiting.stop();
      probes.stop();
      keyProbes.stop();
      await gateway.stop();
      nodes.stop();
      namespaces.stop();
      await audit?.stop();
      tls.stop();
      await access.stop();
    },
    get port() {
      return gateway.port;
    },
    permissions: { authorizer: authorization.authorizer, rules: authorization.granting },
    transportAs: (user) => createLocalTransport({ serve: gateway.serve, newId: randomUUID }, user),
  };
}

function scopedReads(
  catalog: LiveCatalog,
  { authorizer, scoped: rights }: Authorization,
  { namespaces, clock }: { readonly namespaces: NamespaceNames; readonly clock: Clock },
): ScopedReads {
  return {
    isNamespaced: ({ group, version, resource }) => catalog.now.find(group, version, resource)?.namespaced === true,
    permitted: createPermittedNamespaces({ authorizer, rights, namespaces, now: () => clock.monotonic() }),
  };
}

function handshakeCounter(metrics: Metrics): () => void {
  const failures = metrics
    .counter({
      name: "apiserver_tls_handshake_errors_total",
      help: "Connections whose TLS handshake failed.",
      stability: "ALPHA",
      labels: [],
    })
    .with({});
  return () => failures.inc();
}

function auditOf({ audit }: ServingSettings, deps: AssemblyDeps): Promise<AssembledAudit | undefined> {
  if (audit === undefined || deps.audit === undefined) return Promise.resolve(undefined);
  const metrics = createAuditMetrics(deps.metrics, deps.audit.lost);
  return assembleAudit(audit, { ...deps, ...deps.audit, metrics, catalog: () => deps.catalog.now });
}

function faultFields({ request, user }: Reached): object {
  return { requestId: request.id, method: request.method, path: request.path, user: user?.name };
}

function refuse(problem: string): never {
  throw new ConfigurationError(problem);
}
