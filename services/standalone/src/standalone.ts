import { hostname } from "node:os";
import { join } from "node:path";
import { createConversionMetrics } from "@orch/access/conversion-metrics.js";
import type { LiveCatalog } from "@orch/api/custom/live-catalog.js";
import type { TokenEntry } from "@orch/auth/token-file.js";
import type { ClientObserver } from "@orch/client/client.js";
import type { Encryption } from "@orch/encryption/encryption.js";
import { createInProcess } from "@orch/rpc/in-process.js";
import { webhookCalls } from "@orch/rpc/webhook-calls.js";
import type { Service } from "@orch/runtime/service.js";
import type { AuditSettings } from "@orch/service-audit/settings.js";
import type { ControllerManagerConfig } from "@orch/service-controller-manager/service.js";
import type { ServingSettings } from "@orch/service-gateway/serving-settings.js";
import type { SimulatorConfig } from "@orch/service-node-simulator/simulator.js";
import type { OwnProxy } from "@orch/service-proxy/own-settings.js";
import { assembleResource } from "@orch/service-resource/assemble.js";
import type { ResourceSettings } from "@orch/service-resource/settings.js";
import type { LargeWrites } from "@orch/service-resource/thread/large-writes.js";
import type { OwnSettings } from "@orch/service-scheduler/service.js";
import { assembleWatchCache } from "@orch/service-watch-cache/assemble.js";
import type { WatchCacheConfig } from "@orch/service-watch-cache/config.js";
import type { StorePart } from "@orch/store/parted-store.js";
import type { Store } from "@orch/store/store.js";
import { reachOver, reachWithin, type ServerAt } from "./controller-clients.js";
import { controllerUsers, createControllerTokens } from "./controller-identities.js";
import { type Reach, startControllers } from "./controllers.js";
import { makeFolder } from "./folder.js";
import { createLocalFront, type Front, type FrontDeps } from "./front.js";
import type { Pki } from "./pki/pki.js";
import { startProxy } from "./proxying.js";
import { startScheduler } from "./scheduling.js";
import { ownControllers, ownIssuer, ownServing } from "./serving.js";
import { createSharedMirror } from "./shared-mirror.js";
import { startSimulation } from "./simulation.js";
import { createLocalWebhooks, registeredWith } from "./webhooks.js";
import type { WorkerFlags } from "./workers/messages.js";

export interface StandaloneConfig {
  readonly dataDir: string;
  /** Whether an authority, certificates, an administrator and a key are made where flags name none. */
  readonly ownPki: boolean;
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
  /** Nodes whose agents are played here; undefined where there are none. */
  readonly simulation: SimulatorConfig | undefined;
  /** Undefined where pods get their nodes elsewhere, or by hand. */
  readonly scheduler: OwnSettings | undefined;
  /** Undefined where services are nobody's business on this machine. */
  readonly proxy: OwnProxy | undefined;
  readonly admissionControlFile: string;
  /** Where audit events go; undefined where none are made. */
  readonly audit: AuditSettings | undefined;
}

/** What signs tokens of service accounts where no flag says. */
export interface OwnTokens {
  readonly issuer: string;
  readonly signingKeyFile: string;
}

export interface StandaloneDeps extends Omit<FrontDeps, "catalog"> {
  /** Opens the embedded store, or connects to etcd. */
  readonly openStore: (dataDir: string) => Promise<OpenedStore>;
  /** Of the store, where it encrypts. */
  readonly encryption?: Pick<Encryption, "onOtherKeys" | "health"> | undefined;
}

/** All that is stored, which is `main` and its parts. */
export interface OpenedStore extends Store {
  readonly condition: { readonly full: boolean };
  readonly main: Store;
  readonly parts: readonly StorePart[];
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
        const pki = config.ownPki ? await madePki(config, deps) : undefined;
        running = await startServices(config, deps, { store, pki });
        access = pki && (await announce(config, deps, { pki, port: running.port }));
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

/** Loaded where it is wanted: it stands on the library of certificates. */
async function madePki({ dataDir, tlsSans }: StandaloneConfig, { clock, naming }: StandaloneDeps): Promise<Pki> {
  const { ensurePki } = await import("./pki/pki.js");
  return ensurePki(dataDir, { tlsSans, clock, naming });
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
  parts: { readonly store: OpenedStore; readonly pki: Pki | undefined },
): Promise<Running> {
  const { naming, log, clock, metrics } = deps;
  const { store, pki } = parts;
  const { catalog } = config;
  const { front, reach } = await frontOf(config, deps, { pki, store });
  const shared = { store, naming, catalog, clock, log, metrics };
  const audit = await startAudit(config.audit, deps, front);
  const inside = createInProcess({ log });
  const webhooks = createLocalWebhooks(inside, { ...deps, admissionControlFile: config.admissionControlFile });
  const callConversion = webhookCalls(webhooks, "conversion");
  const conversionObserver = createConversionMetrics(metrics, clock.monotonic);
  let large: LargeWrites | undefined;
  const cache = assembleWatchCache(config.watchCache, {
    ...{ ...shared, store: store.main, parts: store.parts },
    services: registeredWith(front.caches, inside.services),
    callConversion,
    conversionObserver,
    printElsewhere: (print) => large?.print(print) ?? Promise.reject(new TypeError("no thread for large answers")),
  });
  const resource = assembleResource(
    config.resource({ issuer: ownIssuer(naming), signingKeyFile: pki?.paths.serviceAccountKey ?? "" }),
    {
      ...shared,
      services: front.resources,
      webhooks,
      permissions: front.permissions,
      noteWork: deps.noteWork,
      encryption: deps.encryption,
      conversionObserver,
      recentBytes,
      runtimeConfig: config.runtimeConfig,
    },
  );
  large = resource.large;
  try {
    await cache.start();
    await resource.start();
  } catch (error) {
    await audit?.stop();
    await inside.caller.close();
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
    await audit?.stop();
    await resource.stop();
    await webhooks.stop();
    await inside.caller.close();
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
  if (pki !== undefined) {
    const controllers = ownControllers(config.controllers, pki);
    const at = { server: urlOf(config, port), ca: pki.ca, naming };
    const observer = observerOf(deps, new URL(at.server).host);
    const own = reach(at);
    const mirror = createSharedMirror({ naming, clock, observer }, own.ownClient);
    const shared = { ...deps, instance: hostname(), observer, mirror };
    const clients = [startControllers(controllers, shared, own)];
    if (config.simulation !== undefined) {
      clients.push(startSimulation(config.simulation, shared, { reach: own, pki }));
    }
    if (config.scheduler !== undefined) clients.push(startScheduler(config.scheduler, shared, own));
    if (config.proxy !== undefined) clients.push(startProxy(config.proxy, shared, own));
    stopControllers = async () => {
      await Promise.all(clients.map((each) => each.stop()));
      await mirror.close();
    };
  }
  return { port, front, stop };
}

/** The service that keeps audit events is loaded where there are some. */
async function startAudit(settings: AuditSettings | undefined, deps: StandaloneDeps, front: Front) {
  if (settings === undefined) return undefined;
  const { assembleAudit } = await import("@orch/service-audit/assemble.js");
  return assembleAudit(settings, { ...deps, services: front.audit, lost: deps.auditLost });
}

/** What all clients of this process are counted by, once the first wants it. `host`: as metrics name the server. */
function observerOf({ metrics, clock }: Pick<StandaloneDeps, "metrics" | "clock">, host: string) {
  let made: Promise<ClientObserver> | undefined;
  const make = async (): Promise<ClientObserver> => {
    const { createRestMetrics } = await import("@orch/service-controller-manager/rest-metrics.js");
    return createRestMetrics(metrics, { host, now: clock.monotonic });
  };
  return (): Promise<ClientObserver> => {
    made ??= make();
    return made;
  };
}

/** What clients talk to, and how controllers do. */
async function frontOf(
  config: StandaloneConfig,
  deps: StandaloneDeps,
  own: { readonly pki: Pki | undefined; readonly store: Store },
): Promise<{ readonly front: Front; readonly reach: (at: ServerAt) => Reach }> {
  const { workers, dataDir, catalog } = config;
  const { pki, store } = own;
  const { naming } = deps;
  const admin =
    pki === undefined ? [] : [{ token: pki.adminToken, user: "admin", uid: "", groups: [naming.mastersGroup] }];
  const serving = (tokens: readonly TokenEntry[]): ServingSettings =>
    ownServing(config.serving, { pki, naming, tokens: [...admin, ...tokens] });
  const users = controllerUsers(naming);
  if (workers.count === 0) {
    const front = await createLocalFront(serving([]), { ...deps, catalog });
    return { front, reach: (at) => reachWithin(users, at, front.transportAs) };
  }
  const tokens = createControllerTokens(users);
  const { createWorkerFront } = await import("./workers/front.js");
  const front = await createWorkerFront(
    { ...workers, serving: serving([tokens.own, ...tokens.ofAccounts.values()]), dataDir },
    { ...deps, catalog, store },
  );
  return { front, reach: (at) => reachOver(tokens, at) };
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
  const { writeClientConfig } = await import("./pki/pki.js");
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
