import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { createClient } from "@orch/client/http.js";
import { serviceConfig } from "@orch/client/service-config.js";
import { createNaming } from "@orch/naming/naming.js";
import { registerFeatureMetrics } from "@orch/runtime/feature-gates.js";
import { processTools } from "@orch/runtime/program.js";
import { serviceTls } from "@orch/runtime/rpc-flags.js";
import { runInternalService } from "@orch/runtime/run-service.js";
import { parseNetwork } from "@orch/schema/formats/ip.js";
import { assembleControllerManager } from "./assemble.js";
import { commandLine, type Started } from "./command-line.js";
import { connectionOf } from "./connection.js";
import { createControllerClients } from "./controller-clients.js";
import { createRestMetrics } from "./rest-metrics.js";
import { controllerManagerSettings } from "./settings.js";

/** Puts the service together and serves until the process is told to stop. */
export async function run({ values, notes, refuse }: Started, environment: NodeJS.ProcessEnv): Promise<void> {
  const tools = processTools("controller-manager", values, refuse);
  const { log, clock, metrics, gates } = tools;
  const naming = createNaming(values["api-dialect"]);
  registerFeatureMetrics(metrics, gates, naming.word("orch"));

  const identity = `${hostname()}_${randomUUID()}`;
  const read = (path: string): string => readFileSync(path, "utf8");
  const settings = controllerManagerSettings(values, {
    ...{ naming, identity, read },
    migratesStorage: gates.enabled("StorageVersionMigrator"),
    claimsDevices: gates.enabled("DynamicResourceAllocation"),
    serviceRanges: values["service-cluster-ip-range"].split(",").flatMap((text) => parseNetwork(text.trim()) ?? []),
  });
  if (!settings.ok) return refuse(settings.problems.join("; "));
  const config = await serviceConfig(values.orchconfig, { program: commandLine.name, clock, environment });
  const observer = createRestMetrics(metrics, { host: new URL(config.server).host, now: clock.monotonic });
  const client = createClient(config, connectionOf(naming, observer));
  const own = values["use-service-account-credentials"]
    ? createControllerClients({ config, client, naming, observer, now: () => clock.now() })
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
      for (const note of notes) log.warn({}, note);
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
