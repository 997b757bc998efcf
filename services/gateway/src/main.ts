import { ConfigurationError } from "@orch/access/configuration.js";
import { createNaming } from "@orch/naming/naming.js";
import { parseTarget } from "@orch/rpc/addresses.js";
import { connect } from "@orch/rpc/grpc-client.js";
import { commonFlags } from "@orch/runtime/common-flags.js";
import { registerFeatureMetrics } from "@orch/runtime/feature-gates.js";
import { listFlag } from "@orch/runtime/flag-types.js";
import { processTools, startProgram } from "@orch/runtime/program.js";
import { rpcFlags, serviceTls } from "@orch/runtime/rpc-flags.js";
import { runProcess } from "@orch/runtime/shutdown.js";
import { version } from "@orch/runtime/version.js";
import { assembleGateway } from "./assemble.js";
import { servingFlags } from "./flags.js";
import { createPeers, type Peers, parsePeers } from "./peers.js";
import { servedCatalog, servingSettings } from "./settings.js";

const flags = {
  ...servingFlags,
  "watch-cache-servers": listFlag([], {
    group: "Services",
    help: "watch caches as [group=]host:port, comma separated; core is the core group; several of one group share the load",
  }),
  "resource-servers": listFlag([], {
    group: "Services",
    help: "resource services as [group=]host:port, comma separated",
  }),
  ...rpcFlags,
  ...commonFlags,
} as const;

const { values, given, refuse } = startProgram(
  { name: "orch-gateway", description: "Serves the API over HTTPS: authenticates, negotiates and forwards.", flags },
  process.argv.slice(2),
);
const { log, logFailure, clock, health, metrics, release, gates } = processTools("gateway", values, refuse);
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
const gateway = await assembleGateway(servingSettings(values, { gates, given, tokens: [] }), {
  naming,
  catalog: servedCatalog(naming, { release, runtimeConfig: values["runtime-config"] }, { refuse, log }),
  caches,
  resources,
  health,
  metrics,
  log,
  logFailure,
  clock,
  version,
}).catch((error: unknown) => {
  if (error instanceof ConfigurationError) return fail(error.message);
  throw error;
});

await runProcess({
  log,
  clock,
  delay: values["shutdown-delay-duration"],
  shuttingDown: () => health.shutDown(),
  service: {
    async start() {
      await gateway.start();
      log.info({ port: gateway.port }, "serving");
      process.stdout.write(`https=${values["bind-address"]}:${gateway.port}\n`);
    },
    async stop() {
      await gateway.stop();
      await Promise.all([...caches.all, ...resources.all].map((peer) => peer.close()));
    },
  },
});
