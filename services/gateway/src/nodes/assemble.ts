import { lookup } from "node:dns/promises";
import type { Naming } from "@orch/naming/naming.js";
import { type Dial, dialDirectly } from "@orch/outbound/dial.js";
import type { Peers } from "@orch/rpc/group-peers.js";
import type { Clock } from "@orch/runtime/clock.js";
import type { Log } from "@orch/runtime/log.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import type { SecretHeaders } from "../aggregation/passed-headers.js";
import { followPair } from "../aggregation/settings.js";
import { createUpstream } from "../aggregation/upstream.js";
import type { ServingSettings } from "../serving-settings.js";
import { createConnectionAdmission } from "./admit-connection.js";
import { createListeners } from "./listeners.js";
import { createNodeMetrics } from "./metrics.js";
import type { NodeWayDeps } from "./node-way.js";
import { coreObjects } from "./objects.js";
import { createOpenConnections } from "./open-connections.js";
import { followAuthority } from "./settings.js";

export interface AssembleNodesDeps {
  readonly naming: Naming;
  readonly caches: Peers;
  readonly resources: Peers;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly secret: SecretHeaders;
  /** By which way connections to the cluster leave this process; straight where absent. */
  readonly dial?: Dial | undefined;
  /** Ends the start with a sentence about wrong flags or files. */
  readonly refuse: (problem: string) => never;
}

export interface AssembledNodes {
  readonly way: Omit<NodeWayDeps, "openWatches" | "tokenProtocol">;
  stop(): void;
}

type Settings = Pick<ServingSettings, "nodes" | "console" | "podLogStreams" | "requestTimeoutMs">;

/** The way to nodes' agents and to what runs on nodes. Nothing is asked, and nothing kept, before somebody wants it. */
export async function assembleNodes(settings: Settings, deps: AssembleNodesDeps): Promise<AssembledNodes> {
  const { naming, caches, resources, metrics, random, secret, dial = dialDirectly } = deps;
  const { nodes: flags } = settings;
  const pair = await followPair({ certificate: "kubelet-client-certificate", key: "kubelet-client-key" }, flags, deps);
  const authority = await followAuthority(flags["kubelet-certificate-authority"], deps);
  const listeners = createListeners({
    agents: createUpstream({ dial, pair: pair.current, connectMs: flags["kubelet-timeout"] }),
    others: createUpstream({ dial, pair: () => undefined }),
    agentCa: authority.current,
  });
  return {
    way: {
      ...{ listeners, secret, random, userAgent: naming.systemName("gateway") },
      metrics: createNodeMetrics(metrics),
      openConnections: createOpenConnections(flags["max-node-connections-per-user"]),
      admit: createConnectionAdmission({
        resources: (group) => resources.of(group),
        requestTimeoutMs: settings.requestTimeoutMs,
      }),
      objects: coreObjects((group) => caches.of(group), settings.requestTimeoutMs),
      lookUp: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
      agents: { preferred: flags["kubelet-preferred-address-types"], port: flags["kubelet-port"] },
      choosesLogStream: settings.podLogStreams,
      besideConsole: settings.console.console,
    },
    stop() {
      listeners.close();
      pair.stop();
      authority.stop();
    },
  };
}
