import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { type ClientConfig, readClientConfig } from "@orch/client/config.js";
import { createClient } from "@orch/client/http.js";
import { createNaming } from "@orch/naming/naming.js";
import { commonFlags } from "@orch/runtime/common-flags.js";
import { registerFeatureMetrics } from "@orch/runtime/feature-gates.js";
import { boolFlag, stringFlag } from "@orch/runtime/flag-types.js";
import { createOpsServer } from "@orch/runtime/ops-server.js";
import { processTools, startProgram } from "@orch/runtime/program.js";
import { releaseFlags } from "@orch/runtime/release-flags.js";
import { opsFlags, rpcFlags, serviceTls } from "@orch/runtime/rpc-flags.js";
import { serviceFlags } from "@orch/runtime/service-flags.js";
import { runProcess } from "@orch/runtime/shutdown.js";
import { messageOf } from "@orch/status/message-of.js";
import { connectionOf } from "./connection.js";
import { createControllerClients } from "./controller-clients.js";
import { accountFlags, controllerFlags, leaderElectionFlags } from "./flags.js";
import { createTelemetry } from "./metrics.js";
import { createControllerManager } from "./service.js";
import { accountSettings, controllerSettings, leaderElectionSettings } from "./settings.js";

const flags = {
  orchconfig: stringFlag("", {
    group: "Server",
    word: "file",
    help: "client configuration file that names the server and how to be known to it",
  }),
  ...controllerFlags,
  "use-service-account-credentials": boolFlag(false, {
    group: "Controllers",
    help: "whether each controller acts as a service account of its own",
  }),
  ...accountFlags,
  ...leaderElectionFlags,
  ...commonFlags,
  ...releaseFlags,
  ...rpcFlags,
  ...opsFlags,
  "bind-address": serviceFlags["bind-address"],
  "metrics-port": serviceFlags["metrics-port"],
  "livez-grace-period": serviceFlags["livez-grace-period"],
  "api-dialect": serviceFlags["api-dialect"],
} as const;

const program = {
  name: "orch-controller-manager",
  description: "Runs the control loops: garbage collection, removal of namespaces, service accounts.",
  flags,
};
const { values, refuse } = startProgram(program, process.argv.slice(2));
const { log, logFailure, clock, health, metrics, gates } = processTools("controller-manager", values, refuse);
const naming = createNaming(values["api-dialect"]);
registerFeatureMetrics(metrics, gates, naming.word("orch"));

async function readConfig(path: string): Promise<ClientConfig> {
  try {
    if (path === "") throw new Error("--orchconfig is needed");
    const tools = { clock, environment: process.env, interactive: false };
    return await readClientConfig(path, { tools });
  } catch (error) {
    process.stderr.write(`${program.name}: ${messageOf(error)}\n`);
    return process.exit(1);
  }
}

const settings = controllerSettings(values, refuse);
const accounts = accountSettings(values, { read: (path) => readFileSync(path, "utf8"), refuse });
const identity = `${hostname()}_${randomUUID()}`;
const leaderElection = leaderElectionSettings(values, { naming, identity, refuse });
const config = await readConfig(values.orchconfig);
const client = createClient(config, connectionOf(naming));
const own = values["use-service-account-credentials"]
  ? createControllerClients({ config, client, naming, now: () => clock.now() })
  : undefined;
const manager = createControllerManager(
  { ...settings, accounts, leaderElection },
  {
    client,
    ...(own === undefined ? {} : { clientFor: own.clientFor }),
    naming,
    clock,
    random: Math.random,
    log,
    telemetry: createTelemetry(metrics),
  },
);
health.check("log", logFailure);
const tls = await serviceTls(values, [values["bind-address"]], { log, clock, metrics, refuse });
const ops = createOpsServer(values, { health, metrics, tls });

await runProcess({
  log,
  clock,
  delay: values["shutdown-delay-duration"],
  shuttingDown: () => health.shutDown(),
  service: {
    async start() {
      await ops.start();
      await manager.start();
      log.info({ metricsPort: ops.port, identity }, "serving");
      process.stdout.write(`metrics=${values["bind-address"]}:${ops.port}\n`);
    },
    async stop() {
      await manager.stop();
      await own?.close();
      await client.close();
      await ops.stop();
    },
  },
});
