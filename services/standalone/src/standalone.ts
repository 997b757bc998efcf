import { join } from "node:path";
import type { LiveCatalog } from "@orch/api/custom/live-catalog.js";
import type { TokenEntry } from "@orch/auth/token-file.js";
import type { Service } from "@orch/runtime/service.js";
import type { ControllerManagerConfig } from "@orch/service-controller-manager/service.js";
import type { ServingSettings } from "@orch/service-gateway/assemble.js";
import { assembleResource } from "@orch/service-resource/assemble.js";
import type { ResourceSettings } from "@orch/service-resource/settings.js";
import type { LargeWrites } from "@orch/service-resource/thread/large-writes.js";
import { assembleWatchCache } from "@orch/service-watch-cache/assemble.js";
import type { WatchCacheConfig } from "@orch/service-watch-cache/config.js";
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
  readonly watchCache: WatchCacheConfig;
  /** Tokens of service accounts are signed by the key of this server, unless the flags name another. */
  readonly resource: (own: OwnTokens) => ResourceSettings;
  /** Processes that serve; with 0 this one does. */
  readonly workers: { readonly count: number; readonly flags: WorkerFlags };
  /** Where the cluster reaches this server; undefined where nobody can say. */
  readonly advertised: string | undefined;
  readonly catalog: LiveCatalog;
  /** Of which the catalog was made: threads make one of their own. */
  readonly runtimeConfig: readonly string[];
  readonly clientConfigName: string;
  readonly controllers: ControllerManagerConfig;
}

/** What signs tokens of service accounts where no flag says. */
export interface OwnTokens {
  readonly issuer: string;
  readonly signingKeyFile: string;
}

export interface StandaloneDeps extends Omit<FrontDeps, "catalog"> {
  /** Opens the embedded store, or connects to etcd. */
  readonly openStore: (dataDir: string) => Promise<OpenedStore>;
}

export interface OpenedStore extends Store {
  readonly condition: { readonly full: boolean };
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
 * Every service in one process, over in-process transports; or all but the gateways, which are
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
  parts: { readonly store: OpenedStore; readonly pki: Pki },
): Promise<Running> {
  const { naming, log, clock, metrics } = deps;
  const { store, pki } = parts;
  const { catalog } = config;
  const tokens = createControllerTokens(naming);
  const front = await frontOf(config, deps, { pki, store, tokens: tokens.entries });
  const shared = { store, naming, catalog, clock, log, metrics };
  let large: LargeWrites | undefined;
  const cache = assembleWatchCache(config.watchCache, {
    ...shared,
    services: front.caches,
    printElsewhere: (print) => large?.print(print) ?? Promise.reject(new TypeError("no thread for large answers")),
  });
  const resource = assembleResource(
    config.resource({ issuer: ownIssuer(naming), signingKeyFile: pki.paths.serviceAccountKey }),
    {
      ...shared,
      services: front.resources,
      permissions: front.permissions,
      noteWork: deps.noteWork,
      recentBytes,
      runtimeConfig: config.runtimeConfig,
    },
  );
  large = resource.large;
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
    await front.drain();
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

function isNoSpace(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
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
  }).catch((err: unknown) => {
    if (!isNoSpace(err)) throw err;
    deps.log.warn(
      { path: clientConfig },
      "no space is left for the client configuration; the one of before may be out of date",
    );
  });
  return { url, clientConfig, caFile: pki.paths.ca, adminToken: pki.adminToken };
}
