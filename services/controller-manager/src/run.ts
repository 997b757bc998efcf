import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { type ClientConfig, readClientConfig } from "@orch/client/config.js";
import { createClient } from "@orch/client/http.js";
import { createNaming } from "@orch/naming/naming.js";
import { registerFeatureMetrics } from "@orch/runtime/feature-gates.js";
import { processTools } from "@orch/runtime/program.js";
import { serviceTls } from "@orch/runtime/rpc-flags.js";
import { runInternalService } from "@orch/runtime/run-service.js";
import { messageOf } from "@orch/status/message-of.js";
import { assembleControllerManager } from "./assemble.js";
import { commandLine, type Started } from "./command-line.js";
import { connectionOf } from "./connection.js";
import { createControllerClients } from "./controller-clients.js";
import { controllerManagerSettings } from "./settings.js";

/** Puts the service together and serves until the process is told to stop. */
export async function run({ values, refuse }: Started, environment: NodeJS.ProcessEnv): Promise<void> {
  const tools = processTools("controller-manager", values, refuse);
  const { log, clock, metrics, gates } = tools;
  const naming = createNaming(values["api-dialect"]);
  registerFeatureMetrics(metrics, gates, naming.word("orch"));

  async function readConfig(path: string): Promise<ClientConfig> {
    try {
      if (path === "") throw new Error("--orchconfig is needed");
      const tools = { clock, environment, interactive: false };
      return await readClientConfig(path, { tools });
    } catch (error) {
      process.stderr.write(`${commandLine.name}: ${messageOf(error)}\n`);
      return process.exit(1);
    }
  }

  const identity = `${hostname()}_${randomUUID()}`;
  const read = (path: string): string => readFileSync(path, "utf8");
  const settings = controllerManagerSettings(values, { naming, identity, read });
  if (!settings.ok) return refuse(settings.problems.join("; "));
  const config = await readConfig(values.orchconfig);
  const client = createClient(config, connectionOf(naming));
  const own = values["use-service-account-credentials"]
    ? createControllerClients({ config, client, naming, now: () => clock.now() })
    : undefined;
  const manager = assembleControllerManager(settings.value, {
    client,
    ...(own === undefined ? {} : { clientFor: own.clientFor }),
    naming,
    clock,
    log,
    metrics,
  });
  const tls = await serviceTls(values, [values["bind-address"]], { log, clock, metrics, refuse });

  await runInternalService({
    tools,
    values,
    tls,
    async start() {
      log.info({ identity }, "starting");
      await manager.start();
      return {};
    },
    async stop() {
      await manager.stop();
      await own?.close();
      await client.close();
    },
  });
}
