import { randomUUID } from "node:crypto";
import { createAccess } from "@orch/access/access.js";
import { callerSource } from "@orch/access/caller-source.js";
import { ConfigurationError } from "@orch/access/configuration.js";
import type { LiveCatalog } from "@orch/api/custom/live-catalog.js";
import type { Permissions } from "@orch/auth/rules.js";
import type { Naming } from "@orch/naming/naming.js";
import { createPreciseClock } from "@orch/rpc/clock.js";
import type { NoteWork } from "@orch/rpc/note-work.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Health } from "@orch/runtime/health.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import type { Service } from "@orch/runtime/service.js";
import { assembleIdentity } from "./assembly/identity.js";
import { assembleOtherPaths } from "./assembly/other-paths.js";
import type { Reached } from "./call.js";
import { createDeliveryMetric } from "./delivery-metric.js";
import { createLimiting } from "./flow/assemble.js";
import type { ConnectionSource } from "./http/server.js";
import { assembleOwnObjects } from "./own-objects/assemble.js";
import type { Peers } from "./peers.js";
import { registerProbes } from "./probes.js";
import { createRequestMetrics } from "./request-metrics.js";
import { createGateway, type Gateway } from "./service.js";
import type { ServingSettings } from "./serving-settings.js";
import { createTlsFiles } from "./tls/settings.js";

/** What differs between a process of its own and one with other services. */
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
  /** Authorization, for services in the same process. */
  readonly permissions: Permissions;
}

/** A gateway with its health checks, metrics, authenticators and authorizers. @throws ConfigurationError */
export async function assembleGateway(settings: ServingSettings, deps: AssemblyDeps): Promise<AssembledGateway> {
  const { health, metrics, log, clock, catalog } = deps;
  const caches = (group: string) => deps.caches.of(group);
  const resources = (group: string) => deps.resources.of(group);
  const probes = registerProbes(deps);
  const requestMetrics = createRequestMetrics(metrics);
  catalog.onChange(({ before, after }) => {
    if (before !== undefined && after === undefined)
      requestMetrics.forget({ group: before.group, resource: before.plural });
  });
  void catalog.loaded.then(health.postStartHook("crd-informer-synced"));
  const objects = callerSource({ caches, clock, log: (what, err) => log.warn({ err }, what) });
  const tls = await createTlsFiles(settings.tls, { log, clock, metrics, refuse });
  const access = await createAccess(settings.access, { ...deps, objects, random: Math.random });
  const { authentication, authorization } = access;
  health.check("authorization", () => authorization.health(), { livez: false });
  const configured = health.postStartHook("priority-and-fairness-config-consumer");
  const limiting = createLimiting(settings, { ...deps, objects, configured });
  const { tables: flowTables } = limiting;
  const gateway = createGateway(
    { ...settings, tls },
    {
      ...assembleOtherPaths(settings, { ...deps, flowTables, openId: authentication.openId }),
      catalog,
      naming: deps.naming,
      identity: assembleIdentity(settings, { ...deps, access, tls }),
      reviews: { ...authentication, rules: authorization.rules, now: () => clock.now() },
      limiter: limiting.limiter,
      caches,
      resources,
      requestMetrics,
      delivered: createDeliveryMetric(metrics, createPreciseClock()),
      connections: deps.connections,
      onFault: (call, err) => log.error({ err, ...faultFields(call) }, "a request met an unexpected error"),
      noteWork: deps.noteWork,
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
      own.start(gateway.port);
    },
    leave: gateway.leave,
    drain: gateway.drain,
    async stop() {
      own.stop();
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

function faultFields({ request, user }: Reached): object {
  return { requestId: request.id, method: request.method, path: request.path, user: user?.name };
}

function refuse(problem: string): never {
  throw new ConfigurationError(problem);
}
