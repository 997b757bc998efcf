import { hostname } from "node:os";
import { callerSource } from "@orch/access/caller-source.js";
import { ConfigurationError } from "@orch/access/configuration.js";
import { followDefinitions } from "@orch/access/follow-definitions.js";
import { createLiveCatalog } from "@orch/api/custom/live-catalog.js";
import { createNaming } from "@orch/naming/naming.js";
import { parseTarget } from "@orch/rpc/addresses.js";
import { connect } from "@orch/rpc/link/grpc-client.js";
import { registerFeatureMetrics } from "@orch/runtime/feature-gates.js";
import { processTools } from "@orch/runtime/program.js";
import { serviceTls } from "@orch/runtime/rpc-flags.js";
import { runService } from "@orch/runtime/run-service.js";
import { version } from "@orch/runtime/version.js";
import { assembleGateway } from "./assemble.js";
import type { Started } from "./command-line.js";
import { createPeers, type Peers, parsePeers } from "./peers.js";
import { servedCatalog, servingSettings } from "./settings.js";

/** Puts the service together and serves until the process is told to stop. */
export async function run({ values, given, refuse }: Started): Promise<void> {
  const tools = processTools("gateway", values, refuse);
  const { log, clock, health, metrics, noteWork, release, gates } = tools;
  const fail = (problem: string): never => {
    process.stderr.write(`orch-gateway: ${problem}\n`);
    process.exit(1);
  };
  const naming = createNaming(values["api-dialect"]);
  registerFeatureMetrics(metrics, gates, naming.word("orch"));
  const targetsOf = (flag: "watch-cache-servers" | "resource-servers"): ReadonlyMap<string, string> => {
    if (values[flag].length === 0) fail(`--${flag} is needed`);
    return parsePeers(values[flag]);
  };
  const cacheTargets = targetsOf("watch-cache-servers");
  const resourceTargets = targetsOf("resource-servers");
  const hosts = [...cacheTargets.values(), ...resourceTargets.values()].flatMap((target) =>
    parseTarget(target).flatMap((part) => ("host" in part ? [part.host] : [])),
  );
  const rpcTls = await serviceTls(values, hosts, { log, clock, metrics, refuse });
  const peersOf = (targets: ReadonlyMap<string, string>, service: string): Peers => {
    const security = rpcTls?.with([service]);
    return createPeers(new Map([...targets].map(([group, target]) => [group, connect({ target, log, security })])));
  };
  const caches = peersOf(cacheTargets, "watch-cache");
  const resources = peersOf(resourceTargets, "resource");
  const catalog = createLiveCatalog(
    servedCatalog(naming, { release, runtimeConfig: values["runtime-config"] }, { refuse, log }),
  );
  // On one machine there may be several.
  const identity = { host: hostname(), isAlone: false };
  const gateway = await assembleGateway(servingSettings(values, { gates, given, tokens: [], identity }), {
    naming,
    catalog,
    caches,
    resources,
    health,
    metrics,
    noteWork,
    log,
    clock,
    version,
  }).catch((error: unknown) => {
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
      await gateway.start();
      return { https: gateway.port };
    },
    async stop() {
      definitions.stop();
      await gateway.stop();
      await Promise.all([...caches.all, ...resources.all].map((peer) => peer.close()));
    },
  });
}
