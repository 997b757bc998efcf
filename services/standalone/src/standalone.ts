import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Catalog } from "@orch/api/catalog.js";
import type { TokenEntry } from "@orch/auth/token-file.js";
import type { Naming } from "@orch/naming/naming.js";
import { createPreciseClock } from "@orch/rpc/clock.js";
import { createInProcess } from "@orch/rpc/in-process.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Health } from "@orch/runtime/health.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import type { Service } from "@orch/runtime/service.js";
import { controllerUser } from "@orch/service-controller-manager/connection.js";
import type { ControllerManagerConfig } from "@orch/service-controller-manager/service.js";
import { assembleGateway, type ServingSettings } from "@orch/service-gateway/assemble.js";
import { anyGroup, createPeers } from "@orch/service-gateway/peers.js";
import type { AllocationConfig } from "@orch/service-resource/allocation/service-allocation.js";
import { createResource } from "@orch/service-resource/service.js";
import { registerWatchCacheMetrics } from "@orch/service-watch-cache/metrics.js";
import { createWatchCache, watchCacheDefaults } from "@orch/service-watch-cache/service.js";
import type { Store } from "@orch/store/store.js";
import { startControllers } from "./controllers.js";
import { makeFolder } from "./folder.js";
import { ensurePki, type Pki, writeClientConfig } from "./pki/pki.js";

export interface StandaloneConfig {
  readonly dataDir: string;
  readonly tlsSans: readonly string[];
  /** Besides the administrator's token, which is made here. */
  readonly tokens: readonly TokenEntry[];
  readonly serving: Omit<ServingSettings, "tokens" | "tls">;
  readonly eventTtlMs: number;
  /** What services are given. */
  readonly allocation: AllocationConfig;
  /** Where the cluster reaches this server; undefined where nobody can say. */
  readonly advertised: string | undefined;
  /** Whether there are streaming lists (gate WatchList). */
  readonly streamingLists: boolean;
  readonly catalog: Catalog;
  readonly clientConfigName: string;
  readonly controllers: ControllerManagerConfig;
}

export interface StandaloneDeps {
  /** Opens the embedded store, or connects to etcd. */
  readonly openStore: (dataDir: string) => Promise<Store>;
  readonly naming: Naming;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly logFailure: () => string | undefined;
  readonly clock: Clock;
  readonly version: object;
}

export interface Standalone extends Service {
  /** What a person needs to talk to it; known once started. */
  readonly access: Access | undefined;
}

export interface Access {
  readonly url: string;
  readonly clientConfig: string;
  readonly caFile: string;
  readonly adminToken: string;
}

/** Every service in one process, over in-process transports (design, section 1). */
export function createStandalone(config: StandaloneConfig, deps: StandaloneDeps): Standalone {
  let access: Access | undefined;
  let stop: (() => Promise<void>) | undefined;
  return {
    async start() {
      await makeFolder(config.dataDir);
      // The store first: it says who holds the directory before anything in there is touched.
      const store = await deps.openStore(config.dataDir);
      try {
        const pki = await ensurePki(config.dataDir, {
          tlsSans: config.tlsSans,
          clock: deps.clock,
          naming: deps.naming,
        });
        const running = await startServices(config, deps, { store, pki });
        stop = running.stop;
        access = await announce(config, deps, { pki, port: running.port });
      } catch (error) {
        await (stop ?? (() => store.close()))();
        throw error;
      }
    },
    async stop() {
      await stop?.();
    },
    get access() {
      return access;
    },
  };
}

interface Running {
  readonly port: number;
  stop(): Promise<void>;
}

async function startServices(
  config: StandaloneConfig,
  deps: StandaloneDeps,
  parts: { readonly store: Store; readonly pki: Pki },
): Promise<Running> {
  const { naming, log, clock } = deps;
  const { store, pki } = parts;
  const { catalog } = config;
  const transport = createInProcess({ log });
  const shared = { store, naming, catalog, services: transport.services, log: logWith(log) };
  const cache = createWatchCache(
    { ...watchCacheDefaults, streamingLists: config.streamingLists },
    { ...shared, now: () => clock.monotonic(), wallClock: () => clock.now(), stamp: createPreciseClock() },
  );
  const resource = createResource(
    { groups: undefined, eventTtlMs: config.eventTtlMs, cbor: config.serving.cbor, allocation: config.allocation },
    { ...shared, metrics: deps.metrics, now: () => clock.now(), newUid: randomUUID, random: Math.random },
  );
  const peers = createPeers(new Map([[anyGroup, transport.caller]]));
  const groups = [naming.mastersGroup];
  const admin: TokenEntry = { token: pki.adminToken, user: "admin", uid: "", groups };
  // Known to this process alone, and only while it runs.
  const controllersToken = randomBytes(32).toString("base64url");
  const controllers: TokenEntry = { token: controllersToken, user: controllerUser(naming), uid: "", groups };
  const gateway = assembleGateway(
    {
      ...config.serving,
      tokens: [admin, controllers, ...config.tokens],
      tls: { key: pki.serving.key, cert: pki.serving.certificate, clientCa: pki.ca },
    },
    { ...deps, catalog, caches: peers, resources: peers },
  );
  registerWatchCacheMetrics(deps.metrics, cache);
  await cache.start();
  await resource.start();
  let stopControllers = async (): Promise<void> => {};
  const stop = async (): Promise<void> => {
    await stopControllers();
    // Watches end with a last bookmark, running writes are answered, then the store is closed.
    await cache.stop();
    await gateway.stop();
    await resource.stop();
    await transport.caller.close();
    await store.close();
  };
  try {
    await gateway.start();
  } catch (error) {
    await stop();
    throw error;
  }
  resource.leadTo({ port: gateway.port, address: config.advertised });
  const controllersRun = startControllers(config.controllers, deps, {
    server: urlOf(config, gateway.port),
    ca: pki.ca,
    token: controllersToken,
  });
  stopControllers = controllersRun.stop;
  return { port: gateway.port, stop };
}

function urlOf({ serving: { bindAddress } }: StandaloneConfig, port: number): string {
  const host = bindAddress === "0.0.0.0" || bindAddress === "::" ? "127.0.0.1" : bindAddress;
  return `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function logWith(log: Log): (what: string, error: unknown) => void {
  return (what, err) => log.error({ err }, what);
}

async function announce(
  config: StandaloneConfig,
  deps: StandaloneDeps,
  at: { readonly pki: Pki; readonly port: number },
): Promise<Access> {
  const { pki, port } = at;
  const url = urlOf(config, port);
  const clientConfig = join(config.dataDir, config.clientConfigName);
  await writeClientConfig(clientConfig, {
    server: url,
    ca: pki.ca,
    cert: pki.admin.certificate,
    key: pki.admin.key,
    token: pki.adminToken,
    naming: deps.naming,
  });
  return { url, clientConfig, caFile: pki.paths.ca, adminToken: pki.adminToken };
}
