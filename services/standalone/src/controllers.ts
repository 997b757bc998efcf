import type { Client, ClientObserver } from "@orch/client/client.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { accountNames, type ControllerName } from "@orch/service-controller-manager/controller.js";
import type { ControllerManagerConfig } from "@orch/service-controller-manager/service.js";
import type { OfControllers } from "./controller-identities.js";
import { type OnceReadyDeps, onceReady, type RunningClients } from "./once-ready.js";
import type { SharedMirror } from "./shared-mirror.js";

export interface ControllersDeps extends OnceReadyDeps {
  readonly naming: Naming;
  readonly metrics: Metrics;
  /** Told of requests of all clients of this process. */
  readonly observer: () => Promise<ClientObserver>;
  readonly mirror: SharedMirror;
  /** Tells this process from others. */
  readonly instance: string;
}

/** How they reach the gateway. */
export interface Reach {
  /** A client of each identity of the controllers. */
  readonly clients: (observer: ClientObserver) => Promise<OfControllers<Client>>;
  /** Of the controllers' own identity. */
  readonly ownClient: (observer: ClientObserver) => Promise<Client>;
  /** Of an identity by its account alone. @throws TypeError for an account that nobody has */
  readonly clientOf: (account: string, observer: ClientObserver) => Promise<Client>;
}

/** Runs controllers as clients of this server. */
export function startControllers(
  config: ControllerManagerConfig,
  deps: ControllersDeps,
  { clients }: Reach,
): RunningClients {
  if (config.controllers.size === 0) return { stop: () => Promise.resolve() };
  return onceReady("the controllers", deps, async () => {
    const { assembleControllerManager } = await import("@orch/service-controller-manager/assemble.js");
    const { own: client, ofAccounts: own } = await clients(await deps.observer());
    const clientFor = (name: ControllerName): Client => own.get(accountNames[name] ?? "") ?? client;
    const mirror = await deps.mirror.own();
    const manager = assembleControllerManager(config, { ...deps, client, clientFor, mirror });
    await manager.start();
    return async () => {
      await manager.stop();
      await Promise.all([client, ...own.values()].map((each) => each.close()));
    };
  });
}
