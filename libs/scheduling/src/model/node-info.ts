import type { Naming } from "@orch/naming/naming.js";
import { type Amounts, amountsOf, noAmounts, summed, wholeUnits } from "./amounts.js";
import type { HostPort } from "./host-ports.js";
import type { RawNode } from "./objects.js";
import type { PodInfo } from "./pod-info.js";
import { type Taint, taintOf } from "./tolerations.js";

/** What a node says of itself. */
export interface NodeFacts {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  /** Region and zone; empty where it has neither. */
  readonly zone: string;
  readonly unschedulable: boolean;
  readonly taints: readonly Taint[];
  /** Of them those that only make it less wanted (`PreferNoSchedule`). */
  readonly softTaints: readonly Taint[];
  readonly allocatable: Amounts;
  /** How many pods it takes. */
  readonly allowedPods: number;
  /** Bytes by name. */
  readonly images: ReadonlyMap<string, number>;
  readonly raw: RawNode;
}

/** A node with what runs on it, assumed pods included. Never changed: a change gives another value. */
export interface NodeInfo extends NodeFacts {
  readonly facts: NodeFacts;
  readonly pods: readonly PodInfo[];
  readonly requested: Amounts;
  /** See {@link PodInfo.scored}. */
  readonly scoredCpu: number;
  readonly scoredMemory: number;
  readonly ports: readonly HostPort[];
}

export function nodeFactsOf(raw: RawNode, naming: Naming): NodeFacts {
  const { metadata = {}, spec = {}, status = {} } = raw;
  const labels = new Map(Object.entries(metadata.labels ?? {}));
  const allocatable = status.allocatable ?? {};
  const taints = (spec.taints ?? []).map(taintOf);
  return {
    name: metadata.name ?? "",
    labels,
    zone: zoneOf(labels, naming),
    unschedulable: spec.unschedulable === true,
    taints,
    softTaints: taints.filter(({ effect }) => effect === "PreferNoSchedule"),
    allocatable: amountsOf(allocatable),
    allowedPods: wholeUnits(allocatable["pods"] ?? 0),
    images: new Map(
      (status.images ?? []).flatMap(({ names = [], sizeBytes = 0 }) => names.map((name) => [name, sizeBytes] as const)),
    ),
    raw,
  };
}

/** Of the labels of today, else of those before them. */
function zoneOf(labels: ReadonlyMap<string, string>, naming: Naming): string {
  const of = (part: string): string =>
    labels.get(`topology.${naming.key(part)}`) ?? labels.get(`failure-domain.beta.${naming.key(part)}`) ?? "";
  const [region, zone] = [of("region"), of("zone")];
  return region === "" && zone === "" ? "" : `${region}:\u0000:${zone}`;
}

export const emptyNode = (facts: NodeFacts): NodeInfo => ({
  ...facts,
  facts,
  pods: [],
  requested: noAmounts,
  scoredCpu: 0,
  scoredMemory: 0,
  ports: [],
});

export const withPod = (node: NodeInfo, pod: PodInfo): NodeInfo =>
  withSums(node, [...node.pods, pod], {
    requested: summed(node.requested, pod.requests, 1),
    scoredCpu: node.scoredCpu + pod.scored.cpu,
    scoredMemory: node.scoredMemory + pod.scored.memory,
    hasPorts: pod.ports.length > 0,
  });

/** Without pods that it holds, in one step. */
export function withoutPods(node: NodeInfo, gone: readonly PodInfo[]): NodeInfo {
  let { requested, scoredCpu, scoredMemory } = node;
  for (const pod of gone) {
    requested = summed(requested, pod.requests, -1);
    scoredCpu -= pod.scored.cpu;
    scoredMemory -= pod.scored.memory;
  }
  const left = node.pods.filter((pod) => !gone.includes(pod));
  return withSums(node, left, { requested, scoredCpu, scoredMemory, hasPorts: node.ports.length > 0 });
}

export function withoutPod(node: NodeInfo, pod: PodInfo): NodeInfo {
  const held = node.pods.find(({ key }) => key === pod.key);
  return held === undefined ? node : withoutPods(node, [held]);
}

interface Sums extends Pick<NodeInfo, "requested" | "scoredCpu" | "scoredMemory"> {
  readonly hasPorts: boolean;
}

/** Written member by member: a cycle makes one of these, and a spread of twenty costs more than the rest of it. */
function withSums(node: NodeInfo, pods: readonly PodInfo[], sums: Sums): NodeInfo {
  return {
    name: node.name,
    labels: node.labels,
    zone: node.zone,
    unschedulable: node.unschedulable,
    taints: node.taints,
    softTaints: node.softTaints,
    allocatable: node.allocatable,
    allowedPods: node.allowedPods,
    images: node.images,
    raw: node.raw,
    facts: node.facts,
    pods,
    requested: sums.requested,
    scoredCpu: sums.scoredCpu,
    scoredMemory: sums.scoredMemory,
    ports: sums.hasPorts ? pods.flatMap(({ ports }) => ports) : node.ports,
  };
}

/** The same pods on a node that says something else of itself. */
export const withFacts = (node: NodeInfo, facts: NodeFacts): NodeInfo => ({ ...node, ...facts, facts });
