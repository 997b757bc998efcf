import { type AddressInfo, createServer } from "node:net";
import { createGrpcServer } from "@orch/rpc/grpc-server.js";
import type { ServingSettings } from "@orch/service-gateway/assemble.js";
import type { Front, FrontDeps } from "../front.js";
import { clusterFork } from "./fork.js";
import type { WorkerFlags } from "./messages.js";
import { createWorkerMetrics } from "./metrics.js";
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

/** Gateways in processes of their own, over sockets: the services behind are to them what they are on other machines. */
export async function createWorkerFront(
  config: WorkerFrontConfig,
  { log, clock, health, metrics }: FrontDeps,
): Promise<Front> {
  const { count, flags, serving } = config;
  const sockets = await makeSockets(config.dataDir);
  const caches = createGrpcServer({ path: sockets.caches, log });
  const resources = createGrpcServer({ path: sockets.resources, log });
  let port = serving.port;
  const pool = createPool({
    count,
    fork: clusterFork(),
    clock,
    log,
    metrics: createWorkerMetrics(metrics),
    ownFamilies: () => metrics.families(),
    stopWithinMs: serving.shutdownGraceMs + stopMarginMs,
    settingsOf: (slot) => ({
      slot,
      flags,
      sockets: { caches: sockets.caches, resources: sockets.resources },
      serving: {
        ...serving,
        port,
        readsInFlight: partOf(serving.readsInFlight, { slot, count }),
        writesInFlight: partOf(serving.writesInFlight, { slot, count }),
      },
    }),
  });
  health.check("gateway-workers", () => (pool.ready === count ? undefined : `${pool.ready} of ${count} are ready`));
  return {
    caches: caches.services,
    resources: resources.services,
    async start() {
      port = await freePort(serving);
      await Promise.all([caches.listen(), resources.listen()]);
      return pool.start();
    },
    shutDown: () => pool.shutDown(),
    async stop() {
      // Only then have the last words of every watch come to the workers.
      await caches.close(transportGraceMs);
      await pool.stop();
    },
    async close() {
      await resources.close(transportGraceMs);
      await sockets.remove();
    },
  };
}

/**
 * The port that workers are to share; a free one for 0, since one that starts later must ask for the same.
 * @throws the system's error where it cannot be had
 */
function freePort({ bindAddress, port }: ServingSettings): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ host: bindAddress, port }, () => {
      const { port: bound } = server.address() as AddressInfo;
      server.close(() => resolve(bound));
    });
  });
}
