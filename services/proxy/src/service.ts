import { setMaxListeners } from "node:events";
import type { Mirror } from "@orch/client/mirror.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import type { ProfilingPages, Service } from "@orch/runtime/service.js";
import type { Clock } from "@orch/status/clock.js";
import { createFreshness } from "./health/freshness.js";
import { healthPages } from "./health/health-pages.js";
import { operationPages } from "./health/operation-pages.js";
import { type Answer, type PageServer, servePages } from "./health/page-server.js";
import { createServiceChecks } from "./health/service-checks.js";
import type { RunProgram } from "./kernel/programs.js";
import { createCluster } from "./model/cluster.js";
import { createNodeWatch } from "./node-watch.js";
import { listenAt, type ProxySettings } from "./settings.js";
import { type BackendDeps, cleanUp, usableSides } from "./sides.js";
import { createProxier } from "./sync/proxier.js";
import { createRunner } from "./sync/runner.js";
import { createTelemetry } from "./telemetry.js";
import { watchAll } from "./watched.js";

export interface ProxyDeps extends BackendDeps {
  readonly mirror: Mirror;
  readonly naming: Naming;
  readonly clock: Clock;
  readonly run: RunProgram;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly interfaceAddresses: () => readonly string[];
  /** The configuration in force, as `/configz` shows it. */
  readonly configText: string;
  /** Of this process, served where the configuration enables it. */
  readonly profiling: ProfilingPages;
}

export interface ProxyService extends Service {
  /** Where health and metrics are, once started. */
  readonly ports: Readonly<Record<string, number>>;
}

const hour = 3_600_000;

/** A proxy that runs here. Its start rejects where the mode cannot be used. */
export function createProxyService(settings: ProxySettings, deps: ProxyDeps): ProxyService {
  const { config, mode, hostname, syncMs, minSyncMs } = settings;
  const { clock, log, metrics, naming, mirror } = deps;
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  const onError = (err: unknown): void => log.warn({ err }, "the server could not be asked; it is asked again");
  const telemetry = createTelemetry(metrics, mode, clock.now);
  const freshness = createFreshness({ clock, syncMs });
  const node = createNodeWatch(settings, deps);
  const checks = createServiceChecks({
    isHealthy: () => freshness.isFresh,
    onError: (err, { service }) => log.error({ err, service }, "a service's health cannot be told: its port is taken"),
  });
  const ports: Record<string, number> = {};
  let servers: PageServer[] = [];
  let stopRunner = async (): Promise<void> => {};
  let following: Promise<void> = Promise.resolve();

  const listen = async (name: string, address: string, answer: Answer): Promise<void> => {
    try {
      const server = await servePages(listenAt(address), answer);
      servers.push(server);
      ports[name] = server.port;
    } catch (err) {
      if (config.bindAddressHardFail) throw err;
      log.error({ err, address }, `${name} cannot be served`);
    }
  };
  const health = healthPages({
    freshness,
    isEligible: () => node.isEligible,
    clock,
    told: telemetry.asked,
  });
  const operations = operationPages({
    metrics: () => metrics.text(),
    ...{ mode, health, configText: deps.configText },
    profiling: config.enableProfiling ? deps.profiling : undefined,
  });

  return {
    get ports() {
      return ports;
    },
    async start() {
      const sides = await usableSides(settings, deps, (family, problem) =>
        log.warn({ family, problem }, "a family of addresses is left out"),
      );
      const other = mode === "nftables" ? "iptables" : "nftables";
      await cleanUp(other, deps, (err) => log.warn({ err, other }, "rules of another mode could not be removed"));
      await listen("healthz", config.healthzBindAddress, health);
      await listen("metrics", config.metricsBindAddress, operations);
      const cluster = createCluster({ hostname, families: sides.map(({ family }) => family) });
      const proxier = createProxier({
        ...{ cluster, sides, clock, telemetry, log, run: deps.run },
        surroundings: node.surroundings,
        // Others change the chains of iptables that are the kernel's own; the table of nftables is ours alone.
        wholeMs: mode === "iptables" ? hour : undefined,
        lookMs: syncMs,
      });
      const runner = createRunner({
        ...{ clock, minMs: minSyncMs, maxMs: syncMs },
        onError: (err) => log.error({ err }, "a sync has failed; it is made again after the sync period"),
        async sync() {
          const began = clock.monotonic();
          const outcome = await proxier.sync();
          if (outcome.ok) {
            freshness.updated(began);
            telemetry.written();
          }
          await checks.serve(cluster.healthChecks());
          return outcome;
        },
      });
      stopRunner = async () => {
        await runner.stop();
        await proxier.stop();
      };
      const watched = watchAll({
        ...{ mirror, naming, cluster, hostname, onError },
        node(next) {
          node.put(next);
          cluster.zone(node.zone);
        },
        changed(what) {
          if (what !== "node") telemetry.changed(what);
          freshness.queued();
          runner.request();
        },
      });
      following = watched.run(abort.signal);
      // Rules of a part of the services would cut off the others.
      void watched.synced.then(() => {
        if (!abort.signal.aborted) runner.start();
      });
    },
    async stop() {
      abort.abort(new Error("the proxy stops"));
      await stopRunner();
      await following;
      await checks.stop();
      await Promise.all(servers.map((server) => server.stop()));
      servers = [];
    },
  };
}
