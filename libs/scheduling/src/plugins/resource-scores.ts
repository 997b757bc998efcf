import type { ArgumentsOf } from "@orch/component-config/scheduler/arguments.js";
import { amountOf, isScalar } from "../model/amounts.js";
import type { NodeInfo } from "../model/node-info.js";
import type { PodInfo } from "../model/pod-info.js";

type Strategy = ArgumentsOf<"NodeResourcesFit">["scoringStrategy"];
/** 0 … 100 of what is asked for and what there is (never 0). */
type ResourceScore = (requested: number, allocatable: number) => number;

export const leastAllocated: ResourceScore = (requested, allocatable) =>
  requested > allocatable ? 0 : Math.trunc(((allocatable - requested) * 100) / allocatable);

export const mostAllocated: ResourceScore = (requested, allocatable) =>
  Math.trunc((Math.min(requested, allocatable) * 100) / allocatable);

type Shape = readonly { readonly utilization: number; readonly score: number }[];

/** Points of 0 … 10 at percentages; straight lines between them, the outermost beyond. */
export function byShape(shape: Shape): ResourceScore {
  const points = shape.map(({ utilization, score }) => ({ at: utilization, score: score * 10 }));
  return (requested, allocatable) => {
    const at = requested > allocatable ? 100 : Math.trunc((requested * 100) / allocatable);
    let before: (typeof points)[number] | undefined;
    for (const point of points) {
      if (at <= point.at) {
        if (before === undefined) return point.score;
        const rise = ((point.score - before.score) * (at - before.at)) / (point.at - before.at);
        return before.score + Math.trunc(rise);
      }
      before = point;
    }
    return before?.score ?? 0;
  };
}

interface Weighted {
  readonly name: string;
  readonly weight: number;
  /** What the pod asks for. */
  readonly amount: number;
}

/** What the score of a resource is made of: nothing of one that the node lacks, or that is another's. */
function requestedOn(node: NodeInfo, { name, amount }: Weighted): number {
  if (name === "cpu") return node.scoredCpu + amount;
  if (name === "memory") return node.scoredMemory + amount;
  return amountOf(node.requested, name) + amount;
}

export function scorerOf(
  { type, resources, requestedToCapacityRatio }: Strategy,
  pod: PodInfo,
): (n: NodeInfo) => number {
  const amount = (name: string): number =>
    name === "cpu" || name === "memory" ? amountOf(pod.scored, name) : amountOf(pod.requests, name);
  // Resources of drivers that the pod does not ask for say nothing about it.
  const weighted = resources
    .map(({ name, weight }): Weighted => ({ name, weight, amount: amount(name) }))
    .filter(({ name, amount: asked }) => asked > 0 || !isScalar(name));
  if (type === "RequestedToCapacityRatio") return ratioOf(weighted, byShape(requestedToCapacityRatio?.shape ?? []));
  return averageOf(weighted, type === "MostAllocated" ? mostAllocated : leastAllocated);
}

const averageOf =
  (resources: readonly Weighted[], score: ResourceScore) =>
  (node: NodeInfo): number => {
    let [sum, weights] = [0, 0];
    for (const resource of resources) {
      const allocatable = amountOf(node.allocatable, resource.name);
      if (allocatable === 0) continue;
      sum += resource.weight * score(requestedOn(node, resource), allocatable);
      weights += resource.weight;
    }
    return weights === 0 ? 0 : Math.trunc(sum / weights);
  };

/** As an average, but that what scores nothing is left out. */
const ratioOf =
  (resources: readonly Weighted[], score: ResourceScore) =>
  (node: NodeInfo): number => {
    let [sum, weights] = [0, 0];
    for (const resource of resources) {
      const allocatable = amountOf(node.allocatable, resource.name);
      const part = allocatable === 0 ? 0 : score(requestedOn(node, resource), allocatable);
      if (part <= 0) continue;
      sum += resource.weight * part;
      weights += resource.weight;
    }
    return weights === 0 ? 0 : Math.round(sum / weights);
  };
