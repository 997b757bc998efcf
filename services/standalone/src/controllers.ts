import type { Client } from "@orch/client/http.js";
import type { Naming } from "@orch/naming/naming.js";
import { type Clock, sleep } from "@orch/runtime/clock.js";
import type { Health } from "@orch/runtime/health.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { connectionOf } from "@orch/service-controller-manager/connection.js";
import { accountNames, type ControllerName } from "@orch/service-controller-manager/controller.js";
import type { ControllerManagerConfig } from "@orch/service-controller-manager/service.js";
import type { ControllerTokens } from "./controller-tokens.js";
import { untilReady } from "./until-ready.js";

export interface ControllersDeps {
  readonly naming: Naming;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly clock: Clock;
}

/** How they reach the gateway of this process, and as whom. */
export interface Loopback {
  readonly server: string;
  /** PEM. */
  readonly ca: string;
  readonly tokens: ControllerTokens;
}

/** Whoever waits for the server goes first. */
const courtesyMs = 250;

/**
 * Runs controllers as what they are, clients of the gateway over HTTPS, once the server is ready: neither their code nor their
 * requests stand in the way of that.
 */
export function startControllers(
  config: ControllerManagerConfig,
  deps: ControllersDeps,
  loopback: Loopback,
): { readonly stop: () => Promise<void> } {
  const abort = new AbortController();
  const run = async (signal: AbortSignal): Promise<void> => {
    await untilReady(deps.health, { clock: deps.clock, signal });
    await sleep(deps.clock, courtesyMs, signal);
    if (signal.aborted) return;
    const [{ createClient }, { assembleControllerManager }] = await Promise.all([
      import("@orch/client/http.js"),
      import("@orch/service-controller-manager/assemble.js"),
    ]);
    // The certificate has this name whatever the address is.
    const tls = { tlsServerName: "localhost", insecureSkipTlsVerify: false };
    const { server, ca, tokens } = loopback;
    const clientWith = (token: string): Client =>
      createClient({ server, ca, token, ...tls, namespace: "default" }, connectionOf(deps.naming));
    const client = clientWith(tokens.own);
    const own = new Map([...tokens.ofAccounts].map(([account, token]) => [account, clientWith(token)]));
    const clientFor = (name: ControllerName): Client => own.get(accountNames[name] ?? "") ?? client;
    const manager = assembleControllerManager(config, { ...deps, client, clientFor });
    await manager.start();
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve());
    });
    await manager.stop();
    await Promise.all([client, ...own.values()].map((each) => each.close()));
  };
  const running = config.controllers.size === 0 ? Promise.resolve() : run(abort.signal);
  running.catch((err: unknown) => deps.log.error({ err }, "the controllers have failed"));
  return {
    async stop() {
      abort.abort();
      await running.catch(() => {}); // told above
    },
  };
}
