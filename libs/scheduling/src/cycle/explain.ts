import type { Cluster } from "../cluster/cluster.js";
import type { Profile } from "../framework/profile.js";
import { messageOf, type Rejection } from "../framework/status.js";
import type { NodeInfo } from "../model/node-info.js";
import type { PodInfo } from "../model/pod-info.js";
import { prepareFilters, rejectionOn } from "./filters.js";
import { gateOf } from "./gate.js";
import { type PluginScores, totalScores } from "./select.js";

/** What every node is to a pod. */
export interface Explanation {
  /** Keeps the pod out of the queue: it is not tried before that has changed, whatever nodes there are. */
  readonly gate: Rejection | undefined;
  /** Refuses the pod whatever the node. */
  readonly before: Rejection | undefined;
  readonly nodes: readonly ExplainedNode[];
  /** Scores could not be told. */
  readonly error: string | undefined;
}

export interface ExplainedNode {
  readonly name: string;
  /** Of the first filter that refuses the pod. */
  readonly rejection: Rejection | undefined;
  /** Sum of `normalized × weight`; absent where the pod does not fit. */
  readonly total?: number;
  readonly scores: readonly {
    readonly plugin: string;
    readonly weight: number;
    readonly raw: number;
    readonly normalized: number;
  }[];
}

/** A whole cycle over all nodes, which decides and changes nothing. */
export function explain(profile: Profile, cluster: Cluster, pod: PodInfo, now: number): Explanation {
  const cycle = { pod, cluster, now };
  const gate = gateOf(profile, pod);
  const filters = prepareFilters(profile, cycle);
  if (filters.rejection !== undefined) return { gate, before: filters.rejection, nodes: [], error: undefined };
  const { narrowed } = filters;
  const left = (node: NodeInfo): Rejection | undefined =>
    narrowed !== undefined && !narrowed.names.has(node.name)
      ? {
          code: "UnschedulableAndUnresolvable",
          plugin: narrowed.plugins[0] ?? "",
          reasons: ["other nodes are asked for"],
        }
      : rejectionOn(filters, node);
  const judged = cluster.nodes.map((node) => ({ node, rejection: left(node) }));
  const feasible = judged.filter(({ rejection }) => rejection === undefined).map(({ node }) => node);
  const parts: PluginScores[] = [];
  const { totals, error } = totalScores(profile, cycle, feasible, {
    tell: (scores) => parts.push(scores),
  });
  const places = new Map(feasible.map(({ name }, i) => [name, i]));
  return {
    gate,
    before: undefined,
    error: error === undefined ? undefined : messageOf(error),
    nodes: judged.map(({ node: { name }, rejection }) => {
      const i = places.get(name);
      if (i === undefined) return { name, rejection, scores: [] };
      const scores = parts.map(({ plugin, weight, raw, normalized }) => ({
        plugin,
        weight,
        raw: raw[i] ?? 0,
        normalized: normalized[i] ?? 0,
      }));
      return { name, rejection, total: totals[i] ?? 0, scores };
    }),
  };
}
