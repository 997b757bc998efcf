import type { LiveCatalog } from "@orch/api/custom/live-catalog.js";
import type { Permissions } from "@orch/auth/rules.js";
import type { Naming } from "@orch/naming/naming.js";
import { createInProcess } from "@orch/rpc/in-process.js";
import type { NoteWork } from "@orch/rpc/note-work.js";
import type { Services } from "@orch/rpc/rpc.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Health } from "@orch/runtime/health.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { assembleGateway, type ServingSettings } from "@orch/service-gateway/assemble.js";
import { anyGroup, createPeers } from "@orch/service-gateway/peers.js";

/** What clients talk to, with the transport between it and the services behind. */
export interface Front {
  /** Where the watch cache and the resource service register. */
  readonly caches: Services;
  readonly resources: Services;
  /** Who may do what, for the services behind. */
  readonly permissions: Permissions;
  /** Begins to serve, once the services have started; the port. */
  start(): Promise<number>;
  /** Readiness falls; serving goes on, and clients are told to go elsewhere with their next request. */
  shutDown(): void;
  /** Answers what comes on the connections that are there, for the last time; watches go on, and the services behind must. */
  drain(): Promise<void>;
  /** Answers what is under way and stops serving; the watch cache has ended its streams before. */
  stop(): Promise<void>;
  /** The transport, once the resource service has stopped too. */
  close(): Promise<void>;
}

export interface FrontDeps {
  readonly naming: Naming;
  readonly catalog: LiveCatalog;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly clock: Clock;
  readonly noteWork?: NoteWork | undefined;
  readonly version: object;
}

/** A gateway in this process, over in-process transports. */
export async function createLocalFront(serving: ServingSettings, deps: FrontDeps): Promise<Front> {
  const { services, caller } = createInProcess({ log: deps.log });
  const peers = createPeers(new Map([[anyGroup, caller]]));
  const gateway = await assembleGateway(serving, { ...deps, caches: peers, resources: peers });
  return {
    caches: services,
    resources: services,
    permissions: gateway.permissions,
    async start() {
      await gateway.start();
      return gateway.port;
    },
    shutDown: () => gateway.leave(),
    drain: () => gateway.drain(),
    stop: () => gateway.stop(),
    close: () => caller.close(),
  };
}
