import type { ArgumentsOf } from "@orch/component-config/scheduler/arguments.js";
import type { Naming } from "@orch/naming/naming.js";
import type { ClusterEvent } from "../framework/events.js";
import { localFilter, type Plugin } from "../framework/plugin.js";
import { type Rejection, unschedulable } from "../framework/status.js";
import { type Amounts, amountOf } from "../model/amounts.js";
import type { NodeFacts, NodeInfo } from "../model/node-info.js";
import type { PodInfo } from "../model/pod-info.js";
import { scorerOf } from "./resource-scores.js";

const name = "NodeResourcesFit";

interface Options {
  readonly naming: Naming;
  /** Resources that an extender manages alone. */
  readonly unwatched?: ReadonlySet<string>;
}

/** Room for what a pod asks for; the score by the strategy that the configuration names. */
export function resourcesFit(args: ArgumentsOf<"NodeResourcesFit">, { naming, unwatched }: Options): Plugin {
  const ignored = new Set([...args.ignoredResources, ...(unwatched ?? [])]);
  const ignoredGroups = new Set(args.ignoredResourceGroups);
  // Only names of others may be left to them; those of the product are always looked at.
  const isIgnored = (resource: string): boolean => {
    const [group = "", rest] = resource.split("/", 2);
    if (rest === undefined || resource.includes(naming.key(""))) return false;
    return ignored.has(resource) || ignoredGroups.has(group);
  };
  const scalarsOf = ({ requests }: PodInfo): Scalars =>
    [...requests.scalars].filter(([resource, amount]) => amount > 0 && !isIgnored(resource));
  const refusals = new Map<string, Rejection>();
  const refusal = (reasons: readonly string[]): Rejection => {
    const key = reasons.join(" ");
    let known = refusals.get(key);
    if (known === undefined) {
      known = unschedulable(name, ...reasons);
      if (refusals.size > 1000) refusals.clear();
      refusals.set(key, known);
    }
    return known;
  };
  /** By what is lacking, where no scalar resource is. */
  const plain: (Rejection | undefined)[] = [];
  return {
    name,
    preFilter: ({ pod }) => {
      const { requests } = pod;
      const scalars = scalarsOf(pod);
      let last: Lacking | undefined;
      return {
        code: "Ready",
        filter: localFilter((node) => {
          const lack = lackOf(requests, scalars, node);
          if (lack === 0) return undefined;
          if (lack >= lacks.scalar) {
            if (last?.lack !== lack || !lacksTheSame(last, scalars, node)) {
              const of = scalars.map(([resource, amount]) => isShortOf(resource, amount, node));
              last = { lack, of, rejection: refusal(shortage(requests, scalars, node)) };
            }
            return last.rejection;
          }
          plain[lack] ??= refusal(shortage(requests, scalars, node));
          return plain[lack];
        }),
      };
    },
    filter: "prepared",
    preScore: ({ pod }) => ({ score: scorerOf(args.scoringStrategy, pod) }),
    score: "prepared",
    events: [
      { resource: "AssignedPod", actions: ["Delete", "UpdatePodScaleDown"], hint: freesWhatIsAsked },
      { resource: "UnscheduledPod", actions: ["UpdatePodScaleDown"] },
      {
        resource: "Node",
        actions: ["Add", "UpdateNodeAllocatable"],
        hint: (pod, event) => event.resource === "Node" && isWorthATry(pod, event, scalarsOf(pod)),
      },
    ],
  };
}

type Scalars = readonly (readonly [name: string, amount: number])[];

/** What is lacking, as bits: a thousand nodes refuse a pod for a few reasons, and are told apart by a number. */
const lacks = { pods: 1, cpu: 2, memory: 4, storage: 8, scalar: 16 } as const;

function lackOf(requests: Amounts, scalars: Scalars, node: NodeInfo): number {
  const { allocatable, requested } = node;
  let lack = node.pods.length + 1 > node.allowedPods ? lacks.pods : 0;
  if (requests.cpu > 0 && requests.cpu > allocatable.cpu - requested.cpu) lack |= lacks.cpu;
  if (requests.memory > 0 && requests.memory > allocatable.memory - requested.memory) lack |= lacks.memory;
  if (requests.storage > 0 && requests.storage > allocatable.storage - requested.storage) lack |= lacks.storage;
  for (const [resource, amount] of scalars) {
    if (!isShortOf(resource, amount, node)) continue;
    lack |= lacks.scalar;
    break;
  }
  return lack;
}

/** What the last node lacked that lacked a scalar resource: a pod may ask for thousands of them, and most nodes lack the same. */
interface Lacking {
  readonly lack: number;
  /** For each of the scalars. */
  readonly of: readonly boolean[];
  readonly rejection: Rejection;
}

function isShortOf(resource: string, amount: number, { allocatable, requested }: NodeInfo): boolean {
  return amount > (allocatable.scalars.get(resource) ?? 0) - (requested.scalars.get(resource) ?? 0);
}

function lacksTheSame({ of }: Lacking, scalars: Scalars, node: NodeInfo): boolean {
  for (const [i, [resource, amount]] of scalars.entries())
    if (isShortOf(resource, amount, node) !== of[i]) return false;
  return true;
}

/** All that a node lacks. */
function shortage(requests: Amounts, scalars: Scalars, node: NodeInfo): readonly string[] {
  const reasons = node.pods.length + 1 > node.allowedPods ? ["Too many pods"] : [];
  const compute = ["cpu", "memory", "ephemeral-storage"].map((name) => [name, amountOf(requests, name)] as const);
  for (const [resource, amount] of [...compute, ...scalars]) {
    const free = amountOf(node.allocatable, resource) - amountOf(node.requested, resource);
    if (amount > 0 && amount > free) reasons.push(`Insufficient ${resource}`);
  }
  return reasons;
}

function freesWhatIsAsked(pod: PodInfo, event: ClusterEvent): boolean {
  if (event.resource !== "AssignedPod" || event.before === undefined) return false;
  const { before, after } = event;
  if (after === undefined) return true;
  const asked = ["cpu", "memory", "ephemeral-storage", ...pod.requests.scalars.keys()];
  return asked.some(
    (resource) =>
      amountOf(pod.requests, resource) > 0 && amountOf(after.requests, resource) < amountOf(before.requests, resource),
  );
}

/** A node on which the pod would fit if nobody else were there, and that has more than before of something it asks for. */
function isWorthATry(
  pod: PodInfo,
  { before, after }: { readonly before?: NodeFacts; readonly after?: NodeFacts },
  scalars: Scalars,
): boolean {
  if (after === undefined) return false;
  const asked: Scalars = [
    ...(["cpu", "memory", "ephemeral-storage"] as const).map((name) => [name, amountOf(pod.requests, name)] as const),
    ...scalars,
  ];
  if (after.allowedPods < 1) return false;
  if (asked.some(([resource, amount]) => amount > amountOf(after.allocatable, resource))) return false;
  if (before === undefined || after.allowedPods > before.allowedPods) return true;
  return asked.some(
    ([resource, amount]) =>
      amount > 0 && amountOf(after.allocatable, resource) > amountOf(before.allocatable, resource),
  );
}
