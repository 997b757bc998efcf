import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { createClient } from "@orch/client/http/http.js";
import { createMirror } from "@orch/client/mirror.js";
import { serviceConfig } from "@orch/client/service-config.js";
import { createNaming } from "@orch/naming/naming.js";
import { readElection } from "@orch/runtime/flags/election-flags.js";
import { serviceTls } from "@orch/runtime/flags/rpc-flags.js";
import { leaderMetric } from "@orch/runtime/leader-metric.js";
import { createProfiling } from "@orch/runtime/profiling/profiling.js";
import { processTools } from "@orch/runtime/program.js";
import { runInternalService } from "@orch/runtime/run-service.js";
import { commandLine, type Started } from "./command-line.js";
import { readScheduler } from "./configuration-file.js";
import { extendersProblem } from "./extenders/call.js";
import { loadPlugins, profileProblem } from "./plugins.js";
import { createSchedulerService } from "./service.js";

/** Puts the service together and serves until the process is told to stop. */
export async function run(
  { values, notes, documents, argv, refuse }: Started,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const tools = processTools("scheduler", values, refuse);
  const { log, clock, metrics, gates } = tools;
  const hasDevices = gates.enabled("DynamicResourceAllocation");
  const naming = createNaming(values["api-dialect"]);

  const read = readScheduler(documents, naming, { dynamicResources: hasDevices });
  if (!read.ok) return refuse(read.problems.join("; "));
  const loaded = await loadPlugins(values.plugin);
  if (!loaded.ok) return refuse(loaded.problem);
  const problem =
    profileProblem(read.config, naming, { more: loaded.registry, hasDevices }) ??
    extendersProblem(read.config.extenders);
  if (problem !== undefined) return refuse(problem);
  const identity = `${hostname()}_${randomUUID()}`;
  const chosen = readElection(values, { naming, identity, part: "scheduler" });
  if (!chosen.ok) return refuse(chosen.problem);
  const { election } = chosen;
  const clientConfig = await serviceConfig(values.orchconfig, { program: commandLine.name, clock, environment });
  const userAgent = naming.systemName("scheduler");
  const client = createClient(clientConfig, { userAgent, multiplexed: true, connections: 8 });
  const mirror = createMirror({ client, naming, clock, random: Math.random });
  const leading = leaderMetric(metrics);
  const service = createSchedulerService(
    {
      config: { ...read.config, enableProfiling: values.profiling },
      election,
      leading: (leads) => leading(election?.name ?? "", leads),
    },
    {
      client,
      mirror,
      naming,
      clock,
      random: Math.random,
      log,
      metrics,
      instance: hostname(),
      plugins: loaded,
      hasDevices,
    },
  );
  const tls = await serviceTls(values, [values["bind-address"]], { log, clock, metrics, refuse });
  await runInternalService({
    tools,
    values,
    tls,
    pages: service.pages,
    profiling: values.profiling ? createProfiling({ clock, argv }) : undefined,
    async start() {
      log.info({ identity }, "starting");
      for (const note of notes) log.warn({}, note);
      await service.start();
      return {};
    },
    async stop() {
      await service.stop();
      await client.close();
    },
  });
}
