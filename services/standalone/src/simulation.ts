import { readFileSync } from "node:fs";
import type { AgentConfig } from "@orch/service-node-simulator/agent/agent.js";
import type { AgentFlags, SimulatorConfig } from "@orch/service-node-simulator/simulator.js";
import { simulatorAccount } from "./controller-identities.js";
import type { ControllersDeps, Reach } from "./controllers.js";
import { onceReady, type RunningClients } from "./once-ready.js";
import type { Pki } from "./pki/pki.js";

/** Plays the agents of nodes, as a client of this server. */
export function startSimulation(
  config: SimulatorConfig,
  deps: ControllersDeps,
  { reach, pki }: { readonly reach: Reach; readonly pki: Pki },
): RunningClients {
  const { naming, clock, metrics, log } = deps;
  return onceReady("simulated nodes", deps, async () => {
    const [{ createSimulator }, { createTelemetry }] = await Promise.all([
      import("@orch/service-node-simulator/simulator.js"),
      import("@orch/service-node-simulator/telemetry.js"),
    ]);
    const client = await reach.clientOf(simulatorAccount, await deps.observer());
    const mirror = await deps.mirror.of(client);
    const telemetry = createTelemetry(metrics, clock.monotonic);
    const agent = config.agent && (await agentOf(config.agent, pki, clock.now()));
    const simulator = createSimulator(config, { client, mirror, naming, clock, log, telemetry, agent });
    await simulator.start();
    return async () => {
      await simulator.stop();
      await client.close();
    };
  });
}

/** This server's authority vouches for the agent, and for its clients, where flags name no others. */
async function agentOf(flags: AgentFlags, { ca, paths }: Pki, now: number): Promise<AgentConfig> {
  const { agentConfig } = await import("@orch/service-node-simulator/agent/agent-files.js");
  const read = (path: string): string => readFileSync(path, "utf8");
  return agentConfig(flags, { read, clientCa: ca, authority: { certificate: ca, key: read(paths.caKey) }, now });
}
