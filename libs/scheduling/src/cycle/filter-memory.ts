import { createPlaceMemory } from "../cluster/place-memory.js";
import type { NodeFilter } from "../framework/plugin.js";
import type { Rejection } from "../framework/status.js";
import type { NodeInfo } from "../model/node-info.js";
import { type Filters, firstRejection, rejectionOn } from "./filters.js";

/** The rejection of the node at a place of the list of all nodes. */
export type Judge = (node: NodeInfo, place: number) => Rejection | undefined;

/**
 * Remembers what the first filters say, as far as they look at nothing but the node ({@link NodeFilter.isLocal}); those
 * that come after them are asked about each node anew.
 */
export function createFilterMemory(): (filters: Filters) => Judge {
  const recall = createPlaceMemory<Rejection | "fits">();
  return (filters) => {
    const { cycle, narrowed } = filters;
    const { pod, cluster } = cycle;
    const { local, others } = parted(filters.filters);
    const answers = narrowed === undefined && local.length > 0 ? recall(pod, cluster) : undefined;
    if (answers === undefined) return (node) => rejectionOn(filters, node);
    // Beside itself it has more room than other pods of its template.
    const own = cluster.nominatedNodeOf(pod.key);
    const locals = { filters: local, cycle };
    return (node, place) => {
      if (own !== undefined && node.name === own) return rejectionOn(filters, node);
      let answer = answers[place];
      if (answer === undefined) {
        // With pods that are to come, all filters are asked twice in turn.
        if (others.length > 0 && cluster.nominated(node.name).length > 0) return rejectionOn(filters, node);
        answer = rejectionOn(locals, node) ?? "fits";
        if (answer !== "fits" && answer.code === "Error") return answer;
        answers[place] = answer;
      }
      return answer === "fits" ? firstRejection(others, node) : answer;
    };
  };
}

interface Parted {
  readonly local: readonly NodeFilter[];
  readonly others: readonly NodeFilter[];
}

function parted(filters: readonly NodeFilter[]): Parted {
  const first = filters.findIndex(({ isLocal }) => isLocal !== true);
  return first < 0 ? { local: filters, others: [] } : { local: filters.slice(0, first), others: filters.slice(first) };
}
