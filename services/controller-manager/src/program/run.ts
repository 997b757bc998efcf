import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Parsed } from "@orch/auth/parsed.js";
import { createClient } from "@orch/client/http/http.js";
import { serviceConfig } from "@orch/client/service-config.js";
import { createNaming, type Naming } from "@orch/naming/naming.js";
import { type FeatureGates, registerFeatureMetrics } from "@orch/runtime/flags/feature-gates.js";
import { serviceTls } from "@orch/runtime/flags/rpc-flags.js";
import { createProfiling } from "@orch/runtime/profiling/profiling.js";
import { processTools } from "@orch/runtime/program.js";
import { runInternalService } from "@orch/runtime/run-service.js";
import { assembleManager } from "../assemble.js";
import { connectionOf } from "../connection.js";
import type { ControllerName } from "../controller.js";
import { createControllerClients } from "../controller-clients.js";
import type { ManagerConfig } from "../manager.js";
import { createRestMetrics } from "../rest-metrics.js";
import type { ProgramValues } from "./flags.js";

export interface ManagerProgram {
  /** `orch-controller-manager`. */
  readonly name: string;
  /** What it is among the parts of a cluster: `controller-manager`. */
  readonly part: string;
  readonly values: ProgramValues;
  readonly notes: readonly string[];
  /** The command line. */
  readonly argv: readonly string[];
  readonly refuse: (problem: string) => never;
  readonly environment: NodeJS.ProcessEnv;
}

export interface SettingsOf {
  readonly naming: Naming;
  /** Tells this process from the others that may lead. */
  readonly identity: string;
  readonly gates: FeatureGates;
}

/** Puts a process of controllers together and serves until it is told to stop. */
export async function runManager<N extends ControllerName>(
  { name, part, values, notes, argv, refuse, environment }: ManagerProgram,
  settingsOf: (parts: SettingsOf) => Parsed<ManagerConfig<N>>,
): Promise<void> {
  const tools = processTools(part, values, refuse);
  const { log, clock, metrics, gates } = tools;
  const naming = createNaming(values["api-dialect"]);
  registerFeatureMetrics(metrics, gates, naming.word("orch"));

  const identity = `${hostname()}_${randomUUID()}`;
  const settings = settingsOf({ naming, identity, gates });
  if (!settings.ok) return refuse(settings.problems.join("; "));
  const config = await serviceConfig(values.orchconfig, { program: name, clock, environment });
  const observer = createRestMetrics(metrics, { host: new URL(config.server).host, now: clock.monotonic });
  const connection = connectionOf(naming, observer, part);
  const client = createClient(config, connection);
  const own = values["use-service-account-credentials"]
    ? createControllerClients({ config, client, naming, connection, now: () => clock.now() })
    : undefined;
  const clients = own === undefined ? { client } : { client, clientFor: own.clientFor };
  const manager = assembleManager(settings.value, { ...clients, naming, clock, log, metrics });
  const tls = await serviceTls(values, [values["bind-address"]], { log, clock, metrics, refuse });

  await runInternalService({
    tools,
    values,
    tls,
    profiling: values.profiling ? createProfiling({ clock, argv }) : undefined,
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
