import { type AddressInfo, createServer, type Server } from "node:net";
import { createAuthorizationAccess } from "@orch/access/access.js";
import { storeSource } from "@orch/access/store-source.js";
import { createGrpcServer } from "@orch/rpc/link/grpc-server.js";
import type { ServingSettings } from "@orch/service-gateway/serving-settings.js";
import type { Store } from "@orch/store/store.js";
import { besidesUnreachable } from "@orch/store/unreachable.js";
import type { Front, FrontDeps } from "../front.js";
import { forkProcess } from "./fork.js";
import type { WorkerFlags } from "./messages.js";
import { createWorkerMetrics } from "./metrics.js";
import { peerLog } from "./peer-log.js";
import { createPool } from "./pool.js";
import { partOf } from "./seats.js";
import { makeSockets } from "./sockets.js";

export interface WorkerFrontConfig {
  readonly count: number;
  readonly flags: WorkerFlags;
  readonly serving: ServingSettings;
  readonly dataDir: string;
}

/** How long calls under way at a transport have to end. */
const transportGraceMs = 2_000;
/** What a worker gets beyond the grace of its running responses. */
const stopMarginMs = 5_000;
const backlog = 16_384;

/** Gateways in processes of their own, over sockets: the services behind are to them what they are on other machines. */
export async function createWorkerFront(
  config: WorkerFrontConfig,
  deps: FrontDeps & { readonly store: Store },
): Promise<Front> {
  const { log, clock, health, metrics } = deps;
  const { count, flags, serving } = config;
  const sockets = await makeSockets(config.dataDir);
  let leaving = false;
  const transport = { log: peerLog(log, () => leaving), joinTrace: deps.tracing?.join };
  const caches = createGrpcServer({ path: sockets.caches, ...transport });
  const resources = createGrpcServer({ path: sockets.resources, ...transport });
  const audit = createGrpcServer({ path: sockets.audit, ...transport });
  const pool = createPool({
    count,
    fork: forkProcess,
    clock,
    log,
    metrics: createWorkerMetrics(metrics),
    ownFamilies: () => metrics.families(),
    stopWithinMs: serving.shutdownGraceMs + stopMarginMs,
    settingsOf: (slot) => ({
      slot,
      flags,
      sockets: { caches: sockets.caches, resources: sockets.resources, audit: sockets.audit },
      serving: {
        ...serving,
        // They are one server: one of them says that it runs.
        identity: slot === 0 ? serving.identity : undefined,
        readsInFlight: partOf(serving.readsInFlight, { slot, count }),
        writesInFlight: partOf(serving.writesInFlight, { slot, count }),
      },
    }),
  });
  // The gateways know this for themselves; services in this process must, too, and have no gateway here to ask.
  const access = await createAuthorizationAccess(serving.access, {
    ...deps,
    objects: storeSource({
      ...deps,
      catalog: deps.catalog.builtIn,
      log: besidesUnreachable((what, err) => log.warn({ err }, what)),
    }),
    random: Math.random,
  });
  const acceptor = createServer({ pauseOnConnect: true }, (socket) => {
    // A client that goes away meanwhile is the worker's to notice.
    socket.on("error", () => {});
    pool.deal(socket);
  });
  health.check("gateway-workers", () => (pool.ready === count ? undefined : `${pool.ready} of ${count} are ready`));
  return {
    caches: caches.services,
    resources: resources.services,
    audit: audit.services,
    permissions: { authorizer: access.authorization.authorizer, rules: access.authorization.granting },
    async start() {
      access.start();
      const port = await listen(acceptor, serving);
      await Promise.all([
        caches.listen(),
        resources.listen(),
        ...(serving.audit === undefined ? [] : [audit.listen()]),
      ]);
      await pool.start();
      return port;
    },
    shutDown() {
      leaving = true;
      pool.shutDown();
    },
    async drain() {
      acceptor.close();
      await pool.drain();
    },
    async stop() {
      // Only then have the last words of every watch come to the workers.
      await caches.close(transportGraceMs);
      await pool.stop();
    },
    async close() {
      await Promise.all([resources.close(transportGraceMs), audit.close(transportGraceMs)]);
      await sockets.remove();
      await access.stop();
    },
  };
}

/** The port, once it is ours. @throws the system's error where it cannot be had */
function listen(server: Server, { bindAddress, port }: ServingSettings): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: bindAddress, port, backlog }, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
