import { readFileSync } from "node:fs";
import { createClient } from "@orch/client/http/http.js";
import { createMirror } from "@orch/client/mirror.js";
import { serviceConfig } from "@orch/client/service-config.js";
import { createNaming } from "@orch/naming/naming.js";
import { serviceTls } from "@orch/runtime/flags/rpc-flags.js";
import { keepHeapSmall } from "@orch/runtime/heap.js";
import { processTools } from "@orch/runtime/program.js";
import { runInternalService } from "@orch/runtime/run-service.js";
import { version } from "@orch/runtime/version.js";
import { messageOf } from "@orch/status/message-of.js";
import { commandLine, type Started } from "./command-line.js";
import { simulatorSettings } from "./settings.js";
import { createSimulator } from "./simulator.js";
import { createTelemetry } from "./telemetry.js";

/** Puts the service together and runs until the process is told to stop; its nodes stay, and are not heard of any more. */
export async function run({ values, notes, refuse }: Started, environment: NodeJS.ProcessEnv): Promise<void> {
  const tools = processTools("node-simulator", values, refuse);
  const { log, clock, metrics } = tools;
  const naming = createNaming(values["api-dialect"]);

  const read = (path: string): string => readFileSync(path, "utf8");
  const release = `v${version.release}.0`;
  const settings = simulatorSettings(values, {
    ...{ naming, nodes: values.nodes, name: values["node-name"], version: release, read },
  });
  if (!settings.ok) return refuse(settings.problems.join("; "));
  const config = await serviceConfig(values.orchconfig, { program: commandLine.name, clock, environment });
  const userAgent = naming.systemName("node-simulator");
  const client = createClient(config, { userAgent, multiplexed: true, connections: 8 });
  const mirror = createMirror({ client, naming, clock, random: Math.random });
  const telemetry = createTelemetry(metrics, clock.monotonic);
  const { agent: flags } = settings.value;
  const agent =
    flags &&
    (await import("./agent/agent-files.js")
      .then(({ agentConfig }) => agentConfig(flags, { read, clientCa: config.ca ?? "", now: clock.now() }))
      .catch((error: unknown) => refuse(messageOf(error))));
  const simulator = createSimulator(settings.value, { client, mirror, naming, clock, log, telemetry, agent });
  const tls = await serviceTls(values, [values["bind-address"]], { log, clock, metrics, refuse });
  await runInternalService({
    tools,
    values,
    tls,
    async start() {
      for (const note of notes) log.warn({}, note);
      log.info({ nodes: values["node-name"] || values.nodes }, "simulates nodes: nothing runs on them");
      await simulator.start();
      keepHeapSmall();
      return {};
    },
    async stop() {
      await simulator.stop();
      await client.close();
    },
  });
}
