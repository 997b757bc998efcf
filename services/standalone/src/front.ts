import type { LiveCatalog } from "@orch/api/custom/live-catalog.js";
import type { Permissions } from "@orch/auth/rules.js";
import type { UserInfo } from "@orch/auth/user.js";
import type { Transport } from "@orch/client/http/transport.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Egress } from "@orch/outbound/egress/egress.js";
import { anyGroup, createPeers } from "@orch/rpc/group-peers.js";
import { createInProcess } from "@orch/rpc/in-process.js";
import type { NoteWork } from "@orch/rpc/note-work.js";
import type { Services } from "@orch/rpc/rpc.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Health } from "@orch/runtime/health.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import type { ProfilingPages } from "@orch/runtime/service.js";
import { assembleGateway } from "@orch/service-gateway/assemble.js";
import type { ServingSettings } from "@orch/service-gateway/serving-settings.js";
import type { Tracing } from "@orch/tracing/tracing.js";

/** What clients talk to, with the transport between it and the services behind. */
export interface Front {
  /** Where the watch cache and the resource service register. */
  readonly caches: Services;
  readonly resources: Services;
  /** Where the service registers that keeps audit events. */
  readonly audit: Services;
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

export interface LocalFront extends Front {
  /** How a client in this process reaches it as a user. */
  transportAs(user: UserInfo): Transport;
}

export interface FrontDeps {
  readonly naming: Naming;
  readonly catalog: LiveCatalog;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Of this process's log. */
  readonly setVerbosity: (level: number) => void;
  /** Of this process. */
  readonly profiling: ProfilingPages;
  readonly clock: Clock;
  readonly noteWork?: NoteWork | undefined;
  /** Undefined where nothing is traced. */
  readonly tracing?: Tracing | undefined;
  readonly version: object;
  /** Of this process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** By which way connections leave; straight where absent. */
  readonly egress?: Egress | undefined;
  /** Of this process. */
  readonly pid: number;
  /** Counts audit events that are lost. */
  readonly auditLost: (plugin: string, events: number) => void;
}

/** A gateway in this process, over in-process transports. */
export async function createLocalFront(serving: ServingSettings, deps: FrontDeps): Promise<LocalFront> {
  const { services, caller } = createInProcess({ log: deps.log });
  const peers = createPeers(new Map([[anyGroup, caller]]));
  const audit = { service: caller, pid: deps.pid, lost: deps.auditLost };
  const gateway = await assembleGateway(serving, { ...deps, audit, caches: peers, resources: peers, local: true });
  return {
    caches: services,
    resources: services,
    audit: services,
    permissions: gateway.permissions,
    transportAs: gateway.transportAs,
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
