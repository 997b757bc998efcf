import type { Client } from "@orch/client/client.js";
import type { Mirror } from "@orch/client/mirror.js";
import { isOrdinary } from "@orch/client/passing.js";
import type { Naming } from "@orch/naming/naming.js";
import type { Log } from "@orch/runtime/log.js";
import type { Service } from "@orch/runtime/service.js";
import type { Clock } from "@orch/status/clock.js";
import { type AgentConfig, createAgent } from "./agent/agent.js";
import { createNodeKeeper, type NodeKeeper, type NodeKeeperOptions } from "./nodes/node-keeper.js";
import type { AgentAt } from "./nodes/node-object.js";
import type { LifeRules } from "./pods/life.js";
import { createPodKeeper } from "./pods/pod-keeper.js";
import type { Telemetry } from "./telemetry.js";

export interface SimulatorConfig {
  readonly nodes: NodeKeeperOptions;
  readonly pods: LifeRules;
  /** Undefined where nothing answers for the nodes. */
  readonly agent: AgentFlags | undefined;
}

/** What flags say of the nodes' agent; `""` is left to whoever starts it. */
export interface AgentFlags {
  readonly address: string;
  readonly port: number;
  readonly certFile: string;
  readonly keyFile: string;
  readonly clientCaFile: string;
}

export interface SimulatorDeps {
  /** Whoever made it closes it. */
  readonly client: Client;
  readonly mirror: Mirror;
  readonly naming: Naming;
  readonly clock: Clock;
  readonly log: Log;
  readonly telemetry: Telemetry;
  /** Of the agent, where there is one. */
  readonly agent?: AgentConfig | undefined;
}

/** Simulates nodes and what is bound to them. It starts at once, with or without a server to speak to; it leaves its nodes behind. */
export function createSimulator(config: SimulatorConfig, deps: SimulatorDeps): Service {
  const { log } = deps;
  const onError = (err: unknown): void => {
    if (isOrdinary(err)) log.debug({ err }, "the simulation tries again");
    else log.warn({ err }, "the simulation failed at something; it tries again");
  };
  const abort = new AbortController();
  // Each tells the other what it needs to know; both exist before either runs.
  const nodes: NodeKeeper = createNodeKeeper(config.nodes, {
    ...{ ...deps, onError, agent: () => agentAt },
    changed: (node) => pods.nodeChanged(node),
  });
  const pods = createPodKeeper({ ...deps, onError, rules: config.pods, only: config.nodes.only, hostOf: nodes.hostOf });
  const agent = deps.agent && createAgent(deps.agent, { ...deps, pods: pods.pods });
  let agentAt: AgentAt | undefined;
  let running: Promise<unknown> | undefined;
  return {
    async start() {
      if (agent !== undefined && deps.agent !== undefined) {
        const port = await agent.start();
        agentAt = { address: deps.agent.address, port };
        log.info(agentAt, "the agent of the simulated nodes listens");
      }
      running = Promise.all([nodes.run(abort.signal), pods.run(abort.signal)]);
    },
    async stop() {
      abort.abort(new Error("the simulation stops"));
      await running;
      await agent?.stop();
    },
  };
}
