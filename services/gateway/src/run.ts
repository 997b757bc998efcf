import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { callerSource } from "@orch/access/caller-source.js";
import { ConfigurationError } from "@orch/access/configuration.js";
import { openEgress } from "@orch/access/egress.js";
import { followDefinitions } from "@orch/access/follow-definitions.js";
import { historyPolicy } from "@orch/access/object-history.js";
import { createLiveCatalog } from "@orch/api/custom/live-catalog.js";
import { createNaming } from "@orch/naming/naming.js";
import { hostsOf } from "@orch/rpc/addresses.js";
import { createPeers, type Peers, parsePeers } from "@orch/rpc/group-peers.js";
import { connect } from "@orch/rpc/link/grpc-client.js";
import { registerFeatureMetrics } from "@orch/runtime/flags/feature-gates.js";
import { serviceTls } from "@orch/runtime/flags/rpc-flags.js";
import { createProfiling } from "@orch/runtime/profiling/profiling.js";
import { processTools } from "@orch/runtime/program.js";
import { runService } from "@orch/runtime/run-service.js";
import { version } from "@orch/runtime/version.js";
import { openTracing } from "@orch/tracing/open-tracing.js";
import { assembleGateway } from "./assemble.js";
import type { Started } from "./command-line.js";
import { auditSettings, servedCatalog, servingSettings } from "./settings.js";

/** Puts the service together and serves until the process is told to stop. */
export async function run({ values, given, argv, refuse }: Started, environment: NodeJS.ProcessEnv): Promise<void> {
  const tools = processTools("gateway", values, refuse);
  const { log, clock, health, metrics, noteWork, release, gates } = tools;
  const fail = (problem: string): never => {
    process.stderr.write(`orch-gateway: ${problem}\n`);
    process.exit(1);
  };
  const naming = createNaming(values["api-dialect"]);
  registerFeatureMetrics(metrics, gates, naming.word("orch"));
  const egress = await openEgress(values["egress-selector-config-file"], { naming, metrics, clock, refuse });
  const tracing = await openTracing(values["tracing-config-file"], {
    ...{ naming, metrics, clock, log, refuse },
    dial: egress?.through("controlplane"),
    service: "apiserver",
  });
  const targetsOf = (flag: "watch-cache-servers" | "resource-servers"): ReadonlyMap<string, string> => {
    if (values[flag].length === 0) fail(`--${flag} is needed`);
    return parsePeers(values[flag]);
  };
  const cacheTargets = targetsOf("watch-cache-servers");
  const resourceTargets = targetsOf("resource-servers");
  const auditServers = values["audit-servers"].join(",");
  const hosts = hostsOf([...cacheTargets.values(), ...resourceTargets.values(), ...values["audit-servers"]]);
  const rpcTls = await serviceTls(values, hosts, { log, clock, metrics, refuse });
  const peersOf = (targets: ReadonlyMap<string, string>, service: string): Peers => {
    const security = rpcTls?.with([service]);
    return createPeers(new Map([...targets].map(([group, target]) => [group, connect({ target, log, security })])));
  };
  const watchCaches = peersOf(cacheTargets, "watch-cache");
  const resources = peersOf(resourceTargets, "resource");
  const keeper =
    auditServers === "" ? undefined : connect({ target: auditServers, log, security: rpcTls?.with(["audit"]) });
  const catalog = createLiveCatalog(
    servedCatalog(naming, { release, runtimeConfig: values["runtime-config"] }, { refuse, log }),
  );
  const near =
    values["near-cache"].length === 0
      ? undefined
      : (await import("./near/near-cache.js")).createNearCache(
          {
            groups: values["near-cache"].map((name) => (name === "core" ? "" : name)),
            ...{ dialect: naming.dialect, release, streamingLists: gates.enabled("WatchList") },
          },
          { ...{ catalog, clock, log, metrics }, caches: watchCaches },
        );
  const caches = near?.peers ?? watchCaches;
  const history = historyPolicy(values, { naming, read: (path) => readFileSync(path, "utf8") });
  if (!history.ok) return refuse(history.problems.join("; "));
  // A machine may run several gateways.
  const identity = { host: hostname(), isAlone: false };
  const audit = keeper === undefined ? undefined : auditSettings(values);
  const gateway = await assembleGateway(
    servingSettings(values, { gates, given, tokens: [], identity, audit, history: history.value }),
    {
      naming,
      catalog,
      caches,
      resources,
      audit: keeper === undefined ? undefined : { service: keeper, pid: process.pid },
      health,
      metrics,
      noteWork,
      tracing,
      log,
      setVerbosity: tools.setVerbosity,
      profiling: createProfiling({ clock, argv }),
      clock,
      version,
      environment,
      egress,
    },
  ).catch((error: unknown) => {
    if (error instanceof ConfigurationError) return fail(error.message);
    throw error;
  });

  const definitions = followDefinitions(
    callerSource({ caches: (group) => caches.of(group), clock, log: (what, err) => log.warn({ err }, what) }),
    catalog,
  );

  await runService({
    tools,
    values,
    shuttingDown: () => gateway.leave(),
    async start() {
      near?.start();
      await gateway.start();
      return { https: gateway.port };
    },
    async stop() {
      definitions.stop();
      await gateway.stop();
      await near?.stop();
      await Promise.all(
        [...watchCaches.all, ...resources.all, ...(keeper === undefined ? [] : [keeper])].map((peer) => peer.close()),
      );
      await tracing?.stop();
    },
  });
}
