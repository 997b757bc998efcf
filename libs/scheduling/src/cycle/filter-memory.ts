import type { Rejection } from "../framework/status.js";
import type { NodeInfo } from "../model/node-info.js";
import { askedText, type PodInfo } from "../model/pod-info.js";
import { type Filters, rejectionOn } from "./filters.js";

/** The rejection of the node at a place of the list of all nodes. */
export type Judge = (node: NodeInfo, place: number) => Rejection | undefined;

const nobody: readonly PodInfo[] = [];

/**
 * Pods of one template come one after the other, and between two of them few nodes change: where filters look at nothing
 * but the node, their answers hold for as long as the node is the same value, and the pods are that are nominated to it.
 */
export function createFilterMemory(): (filters: Filters) => Judge {
  let text = "";
  let nodes: (NodeInfo | undefined)[] = [];
  let comings: (readonly PodInfo[])[] = [];
  let answers: (Rejection | undefined)[] = [];
  return (filters) => {
    const { cycle, narrowed } = filters;
    const isLocal = narrowed === undefined && filters.filters.every((f) => f.isLocal);
    if (!isLocal) return (node) => rejectionOn(filters, node);
    const asked = askedText(cycle.pod);
    if (asked !== text) {
      // Worth a memory once a second pod of the template comes.
      [text, nodes, comings, answers] = [asked, [], [], []];
      return (node) => rejectionOn(filters, node);
    }
    const { length } = cycle.cluster.nodes;
    if (nodes.length !== length) {
      // Of their size from the start: an array that grows from its middle is a table of hashes to the engine.
      nodes = new Array<NodeInfo | undefined>(length).fill(undefined);
      comings = new Array<readonly PodInfo[]>(length).fill(nobody);
      answers = new Array<Rejection | undefined>(length).fill(undefined);
    }
    const { cluster, pod } = cycle;
    const { hasNominated } = cluster;
    return (node, place) => {
      // Who is to come to a node is no part of it: a list that is another value when it changes.
      const coming = hasNominated ? cluster.nominated(node.name) : nobody;
      if (coming.length > 0 && coming.some(({ key }) => key === pod.key)) return rejectionOn(filters, node);
      if (nodes[place] === node && comings[place] === coming) return answers[place];
      const answer = rejectionOn(filters, node);
      if (answer?.code === "Error") return answer;
      nodes[place] = node;
      comings[place] = coming;
      answers[place] = answer;
      return answer;
    };
  };
}
