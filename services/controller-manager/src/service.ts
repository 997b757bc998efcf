import { setMaxListeners } from "node:events";
import { createDiscovery } from "@orch/client/discovery.js";
import type { Client } from "@orch/client/http.js";
import { leadOnce } from "@orch/client/leader-election.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import type { Service } from "@orch/runtime/service.js";
import { createApprovingController } from "./certificates/approving-controller.js";
import { createCleaner } from "./certificates/cleaner.js";
import { createSigningController, type SigningConfig } from "./certificates/signing-controller.js";
import type { Controller, ControllerName } from "./controller.js";
import { createGarbageCollector } from "./garbage/collector.js";
import type { Telemetry } from "./metrics.js";
import { createNamespaceController } from "./namespaces/namespace-controller.js";
import { createServiceAccountController } from "./service-accounts.js";
import type { ControllerTools } from "./tools.js";

export interface ControllerManagerConfig {
  readonly controllers: ReadonlySet<ControllerName>;
  readonly garbageCollectorWorkers: number;
  readonly namespaceWorkers: number;
  /** Between a namespace's deletion and its emptying. */
  readonly namespaceQuietMs: number;
  readonly signing: SigningConfig;
  /** Undefined where this is the only one. */
  readonly leaderElection: LeaderElection | undefined;
}

export interface LeaderElection {
  /** Of this process. */
  readonly identity: string;
  readonly namespace: string;
  readonly name: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

export interface ControllerManagerDeps {
  /** With a stream for each watched kind: a multiplexed one. Whoever made it closes it. */
  readonly client: Client;
  /** Of a controller that acts as somebody of its own, of the same sort; `client` for all of them where absent. */
  readonly clientFor?: (controller: ControllerName) => Client;
  readonly naming: Naming;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  readonly telemetry: Telemetry;
}

export interface ControllerManager extends Service {
  /** Whether the controllers run here. */
  readonly leads: boolean;
}

/**
 * Runs control loops over the HTTP API, here or in the one process that holds the lease. It starts at once, with or
 * without a server to speak to; `stop` settles when nothing runs any more and the lease is given back.
 */
export function createControllerManager(
  config: ControllerManagerConfig,
  deps: ControllerManagerDeps,
): ControllerManager {
  const abort = new AbortController();
  const election = config.leaderElection === undefined ? undefined : createElection(config.leaderElection, deps);
  let running: Promise<void> | undefined;
  let leads = false;

  const runControllers = async (signal: AbortSignal): Promise<void> => {
    leads = true;
    // Every request that is under way listens to it.
    setMaxListeners(0, signal);
    deps.log.debug({ controllers: [...config.controllers] }, "controllers run");
    await Promise.all(controllersOf(config, deps).map((controller) => controller.run(signal)));
    leads = false;
  };

  return {
    async start() {
      if (config.controllers.size === 0) return;
      running = election === undefined ? runControllers(abort.signal) : election.run(runControllers, abort.signal);
    },
    async stop() {
      abort.abort(new Error("the controllers stop"));
      await running;
    },
    get leads() {
      return leads;
    },
  };
}

function controllersOf(config: ControllerManagerConfig, deps: ControllerManagerDeps): readonly Controller[] {
  const { clientFor = () => deps.client, log } = deps;
  const shared = createDiscovery(deps.client, deps.naming);
  const toolsOf = (name: ControllerName): ControllerTools => {
    const client = clientFor(name);
    return { ...deps, client, discovery: client === deps.client ? shared : createDiscovery(client, deps.naming) };
  };
  const make: Readonly<Record<ControllerName, (tools: ControllerTools) => Controller>> = {
    "garbage-collector-controller": (tools) =>
      createGarbageCollector({ workers: config.garbageCollectorWorkers }, tools),
    "namespace-controller": (tools) =>
      createNamespaceController({ workers: config.namespaceWorkers, quietMs: config.namespaceQuietMs }, tools),
    "serviceaccount-controller": createServiceAccountController,
    "certificatesigningrequest-approving-controller": createApprovingController,
    "certificatesigningrequest-signing-controller": (tools) => createSigningController(config.signing, tools),
    "certificatesigningrequest-cleaner-controller": createCleaner,
  };
  const isAble = (name: ControllerName): boolean =>
    name !== "certificatesigningrequest-signing-controller" || Object.keys(config.signing.authorities).length > 0;
  const able = [...config.controllers].filter(isAble);
  if (able.length < config.controllers.size)
    log.info({}, "no certificates are signed: no files of an authority are named");
  return able.map((name) => make[name](toolsOf(name)));
}

interface Election {
  /** Leads again and again, whenever the lease can be had, until the signal aborts. */
  run(lead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>;
}

function createElection(config: LeaderElection, deps: ControllerManagerDeps): Election {
  const { client, naming, clock, random, log, telemetry } = deps;
  const { identity, namespace, name } = config;
  const leases = { group: naming.group("coordination"), version: "v1", resource: "leases", namespace };
  return {
    async run(lead, signal) {
      telemetry.leading(name, false);
      const onLeader = (leader: string): void =>
        log.info({ leader, identity, lease: `${namespace}/${name}` }, "who leads has changed");
      const onError = (err: unknown): void => log.debug({ err }, "the lease could not be taken or renewed");
      const leadTold = async (term: AbortSignal): Promise<void> => {
        telemetry.leading(name, true);
        try {
          await lead(term);
        } finally {
          telemetry.leading(name, false);
        }
      };
      while (!signal.aborted) {
        const end = await leadOnce({ ...config, client, leases, clock, random, onLeader, onError }, leadTold, signal);
        if (end === "lost") log.error({ identity }, "the lease was lost: the controllers have stopped");
      }
    },
  };
}
