import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Catalog } from "@orch/api/catalog.js";
import type { TokenEntry } from "@orch/auth/token-file.js";
import { createPreciseClock } from "@orch/rpc/clock.js";
import type { Log } from "@orch/runtime/log.js";
import type { Service } from "@orch/runtime/service.js";
import type { ControllerManagerConfig } from "@orch/service-controller-manager/service.js";
import type { ServingSettings } from "@orch/service-gateway/assemble.js";
import type { AllocationConfig } from "@orch/service-resource/allocation/service-allocation.js";
import { createResource } from "@orch/service-resource/service.js";
import type { TokenSettings } from "@orch/service-resource/token-request.js";
import { watchCacheDefaults } from "@orch/service-watch-cache/config.js";
import { registerWatchCacheMetrics } from "@orch/service-watch-cache/metrics.js";
import { createWatchCache } from "@orch/service-watch-cache/service.js";
import type { Store } from "@orch/store/store.js";
import { createControllerTokens } from "./controller-tokens.js";
import { startControllers } from "./controllers.js";
import { makeFolder } from "./folder.js";
import { createLocalFront, type Front, type FrontDeps } from "./front.js";
import { ensurePki, type Pki, writeClientConfig } from "./pki/pki.js";
import { ownControllers, ownIssuer, ownServing } from "./serving.js";
import { createWorkerFront } from "./workers/front.js";
import type { WorkerFlags } from "./workers/messages.js";

export interface StandaloneConfig {
  readonly dataDir: string;
  readonly tlsSans: readonly string[];
  /** What it leaves open is this server's own: certificates, keys, the administrator's token. */
  readonly serving: ServingSettings;
  /** Tokens of service accounts by the signing key of this server, or another. */
  readonly tokens: (own: { readonly issuer: string; readonly signingKeyFile: string }) => TokenSettings | undefined;
  readonly disabledAdmissionPlugins: ReadonlySet<string>;
  /** Processes that serve; with 0 this one does. */
  readonly workers: { readonly count: number; readonly flags: WorkerFlags };
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

export interface StandaloneDeps extends Omit<FrontDeps, "catalog"> {
  /** Opens the embedded store, or connects to etcd. */
  readonly openStore: (dataDir: string) => Promise<Store>;
}

export interface Standalone extends Service {
  /** What a person needs to talk to it; known once started. */
  readonly access: Access | undefined;
  /** Readiness falls; serving goes on. */
  shutDown(): void;
}

export interface Access {
  readonly url: string;
  readonly clientConfig: string;
  readonly caFile: string;
  readonly adminToken: string;
}

/**
 * Every service in one process, over in-process transports (design, section 1); or all but the gateways, which are
 * processes on one port then.
 */
export function createStandalone(config: StandaloneConfig, deps: StandaloneDeps): Standalone {
  let access: Access | undefined;
  let running: Running | undefined;
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
        running = await startServices(config, deps, { store, pki });
        access = await announce(config, deps, { pki, port: running.port });
      } catch (error) {
        await (running?.stop ?? (() => store.close()))();
        throw error;
      }
    },
    async stop() {
      await running?.stop();
    },
    shutDown() {
      deps.health.shutDown();
      running?.front.shutDown();
    },
    get access() {
      return access;
    },
  };
}

/** Less than in a process of its own: the watch cache beside it holds every state already, and the store is near. */
const recentBytes = 8 << 20;

interface Running {
  readonly port: number;
  readonly front: Front;
  readonly stop: () => Promise<void>;
}

async function startServices(
  config: StandaloneConfig,
  deps: StandaloneDeps,
  parts: { readonly store: Store; readonly pki: Pki },
): Promise<Running> {
  const { naming, log, clock } = deps;
  const { store, pki } = parts;
  const { catalog } = config;
  const tokens = createControllerTokens(naming);
  const front = await frontOf(config, deps, { pki, store, tokens: tokens.entries });
  const shared = { store, naming, catalog, log: logWith(log) };
  const cache = createWatchCache(
    { ...watchCacheDefaults, streamingLists: config.streamingLists },
    {
      ...shared,
      services: front.caches,
      now: () => clock.monotonic(),
      wallClock: () => clock.now(),
      stamp: createPreciseClock(),
    },
  );
  const resource = createResource(
    {
      groups: undefined,
      eventTtlMs: config.eventTtlMs,
      cbor: config.serving.cbor,
      allocation: config.allocation,
      tokens: config.tokens({ issuer: ownIssuer(naming), signingKeyFile: pki.paths.serviceAccountKey }),
      disabledAdmissionPlugins: config.disabledAdmissionPlugins,
      recentBytes,
    },
    {
      ...shared,
      services: front.resources,
      permissions: front.permissions,
      metrics: deps.metrics,
      now: () => clock.now(),
      newUid: randomUUID,
      random: Math.random,
    },
  );
  registerWatchCacheMetrics(deps.metrics, cache);
  try {
    await cache.start();
    await resource.start();
  } catch (error) {
    await front.close();
    throw error;
  }
  let stopControllers = async (): Promise<void> => {};
  const stop = async (): Promise<void> => {
    await stopControllers();
    // Watches end with a last bookmark, running writes are answered, then the store is closed.
    await cache.stop();
    await front.stop();
    await resource.stop();
    await front.close();
    await store.close();
  };
  let port: number;
  try {
    port = await front.start();
  } catch (error) {
    await stop();
    throw error;
  }
  resource.leadTo({ port, address: config.advertised });
  const controllersRun = startControllers(ownControllers(config.controllers, pki), deps, {
    server: urlOf(config, port),
    ca: pki.ca,
    tokens,
  });
  stopControllers = controllersRun.stop;
  return { port, front, stop };
}

async function frontOf(
  config: StandaloneConfig,
  deps: StandaloneDeps,
  own: { readonly pki: Pki; readonly store: Store; readonly tokens: readonly TokenEntry[] },
): Promise<Front> {
  const { workers, dataDir, catalog } = config;
  const { pki, store, tokens } = own;
  const groups = [deps.naming.mastersGroup];
  const admin: TokenEntry = { token: pki.adminToken, user: "admin", uid: "", groups };
  const serving = ownServing(config.serving, { pki, naming: deps.naming, tokens: [admin, ...tokens] });
  if (workers.count > 0) return createWorkerFront({ ...workers, serving, dataDir }, { ...deps, catalog, store });
  return createLocalFront(serving, { ...deps, catalog });
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
