import type { ApiObject } from "@orch/client/objects.js";
import type { Naming } from "@orch/naming/naming.js";
import { wireTime } from "@orch/status/wire-time.js";

/** What every simulated node has. */
export interface NodeShape {
  /** Quantities: `32`, `256Gi`, `110`. */
  readonly cpu: string;
  readonly memory: string;
  readonly pods: number;
  readonly ephemeralStorage: string;
  /** Nodes are parted among them; none where empty. */
  readonly zones: readonly string[];
  readonly region: string;
  readonly version: string;
}

export interface SimulatedNode {
  readonly name: string;
  /** From 0. */
  readonly index: number;
  /** Played by itself, as an agent plays its node. */
  readonly isOnly: boolean;
}

/** Where the agent of all nodes is reached. */
export interface AgentAt {
  readonly address: string;
  readonly port: number;
}

/** By which a node says plainly that nothing runs on it. */
export const simulatedLabel = (naming: Naming): string => `sim.${naming.key("simulated")}`;

/** The label of a node that registers itself: it may have no other of this domain. */
const ownLabel = (naming: Naming): string => `node.${naming.key("simulated")}`;

export function nodeManifest({ name, index, isOnly }: SimulatedNode, shape: NodeShape, naming: Naming): ApiObject {
  const zone = shape.zones[index % Math.max(1, shape.zones.length)];
  const key = (word: string): string => naming.key(word);
  const labels = {
    ...{ [key("os")]: "linux", [key("arch")]: "amd64", [key("hostname")]: name },
    ...(zone === undefined ? {} : { [`topology.${key("zone")}`]: zone }),
    ...(shape.region === "" ? {} : { [`topology.${key("region")}`]: shape.region }),
    [isOnly ? ownLabel(naming) : simulatedLabel(naming)]: "true",
  };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels },
  };
}

const pressures = [
  ["MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
  ["DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
  ["PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"],
] as const;

/** What a node's agent tells of it; `sinceMs`: when that was true first. */
export function nodeStatus(
  node: SimulatedNode,
  shape: NodeShape,
  { agent, ...at }: { readonly nowMs: number; readonly sinceMs: number; readonly agent: AgentAt | undefined },
): Readonly<Record<string, unknown>> {
  const { name } = node;
  const resources = {
    ...{ cpu: shape.cpu, memory: shape.memory, pods: String(shape.pods) },
    "ephemeral-storage": shape.ephemeralStorage,
  };
  const times = { lastHeartbeatTime: wireTime(at.nowMs), lastTransitionTime: wireTime(at.sinceMs) };
  return {
    capacity: resources,
    allocatable: resources,
    addresses: [
      { type: "InternalIP", address: nodeAddress(node, agent) },
      // The nodes' own addresses lead nowhere: by this one their agent is reached.
      { type: "Hostname", address: agent?.address ?? name },
    ],
    ...(agent === undefined ? {} : { daemonEndpoints: { kubeletEndpoint: { Port: agent.port } } }),
    conditions: [
      ...pressures.map(([type, reason, message]) => ({ type, status: "False", reason, message, ...times })),
      {
        type: "Ready",
        status: "True",
        reason: "KubeletReady",
        message: "node is simulated: nothing runs on it",
        ...times,
      },
    ],
    nodeInfo: {
      ...{ architecture: "amd64", operatingSystem: "linux", osImage: "simulated", kernelVersion: "simulated" },
      ...{ containerRuntimeVersion: "simulated://0", kubeletVersion: shape.version, kubeProxyVersion: shape.version },
      ...{ machineID: name, systemUUID: name, bootID: name },
    },
  };
}

const octet = (value: number, place: number): number => Math.floor(value / 256 ** place) % 256;

/** Where its agent is, of a node that is played by itself. 10.128.0.0/9 is left to the others: their addresses lead nowhere. */
export function nodeAddress({ index, isOnly }: SimulatedNode, agent: AgentAt | undefined): string {
  if (isOnly && agent !== undefined) return agent.address;
  const host = index + 1;
  return `10.${128 + (octet(host, 2) % 128)}.${octet(host, 1)}.${octet(host, 0)}`;
}
