import type { ApiObject } from "@orch/client/objects.js";
import type { Extender as Configuration } from "@orch/component-config/scheduler/scheduler-configuration.js";
import type { Nomination } from "@orch/scheduling/framework/plugin.js";
import { type Rejection, unresolvable, unschedulable } from "@orch/scheduling/framework/status.js";
import type { NodeInfo } from "@orch/scheduling/model/node-info.js";
import type { PodInfo } from "@orch/scheduling/model/pod-info.js";
import type { Ask } from "./call.js";
import { fieldOf, listOf, nodeNamesOf, reasonsOf, recordOf, textOf } from "./wire.js";

/** Somebody who is asked about pods over HTTP. Methods throw Error with the sentence that says what failed. */
export interface Extender {
  readonly ignorable: boolean;
  readonly filters: boolean;
  readonly prioritizes: boolean;
  readonly binds: boolean;
  readonly preempts: boolean;
  isInterested(pod: PodInfo): boolean;
  filter(pod: PodInfo, nodes: readonly NodeInfo[], signal: AbortSignal): Promise<Filtered>;
  /** What is added to the plugins' totals, by node. */
  prioritize(pod: PodInfo, nodes: readonly NodeInfo[], signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
  bind(pod: PodInfo, node: string, signal: AbortSignal): Promise<void>;
  /** The candidates that it leaves, with the victims that it leaves of each. */
  preempt(pod: PodInfo, candidates: readonly Nomination[], signal: AbortSignal): Promise<readonly Nomination[]>;
}

export interface Filtered {
  /** In the order of the answer. */
  readonly left: readonly NodeInfo[];
  readonly rejections: ReadonlyMap<string, Rejection>;
}

export interface ExtenderDeps {
  readonly ask: Ask;
  /** A node as the server has it, for those who keep none themselves. */
  readonly nodeObject: (name: string) => ApiObject | undefined;
}

/** Plugins score to 100, extenders to 10. */
const scale = 10;

export function createExtender(configuration: Configuration, { ask, nodeObject }: ExtenderDeps): Extender {
  const { filterVerb, prioritizeVerb, bindVerb, preemptVerb, nodeCacheCapable, weight } = configuration;
  const managed = new Set(configuration.managedResources.map(({ name }) => name));
  const asked = async (verb: string, body: object, signal: AbortSignal): Promise<unknown> => {
    const answer = await ask(verb, body, signal);
    const error = textOf(recordOf(answer), "Error");
    if (error !== "") throw new Error(error);
    return answer;
  };
  const argumentsOf = (pod: PodInfo, nodes: readonly NodeInfo[]): object => ({
    Pod: pod.raw,
    Nodes: nodeCacheCapable ? null : { items: nodes.flatMap(({ name }) => nodeObject(name) ?? []) },
    NodeNames: nodeCacheCapable ? nodes.map(({ name }) => name) : null,
  });
  return {
    ignorable: configuration.ignorable,
    filters: filterVerb !== "",
    prioritizes: prioritizeVerb !== "",
    binds: bindVerb !== "",
    preempts: preemptVerb !== "",
    isInterested: ({ raw }) =>
      managed.size === 0 ||
      [...(raw.spec?.containers ?? []), ...(raw.spec?.initContainers ?? [])].some(({ resources }) =>
        [...Object.keys(resources?.requests ?? {}), ...Object.keys(resources?.limits ?? {})].some((name) =>
          managed.has(name),
        ),
      ),
    async filter(pod, nodes, signal) {
      const answer = recordOf(await asked(filterVerb, argumentsOf(pod, nodes), signal));
      const byName = new Map(nodes.map((node) => [node.name, node]));
      const left = (nodeNamesOf(answer) ?? []).map((name) => {
        const node = byName.get(name);
        if (node === undefined)
          throw new Error(`extender claims a filtered node ${JSON.stringify(name)} it was not given`);
        return node;
      });
      const rejections = new Map<string, Rejection>();
      for (const [name, reason] of reasonsOf(answer, "FailedNodes")) rejections.set(name, unschedulable("", reason));
      for (const [name, reason] of reasonsOf(answer, "FailedAndUnresolvableNodes"))
        rejections.set(name, unresolvable("", reason));
      return { left, rejections };
    },
    async prioritize(pod, nodes, signal) {
      const answer = listOf(await asked(prioritizeVerb, argumentsOf(pod, nodes), signal)).map(recordOf);
      const scores = answer.map((each): [string, number] => {
        const score = fieldOf(each, "Score");
        return [textOf(each, "Host"), (typeof score === "number" ? score : 0) * weight * scale];
      });
      return new Map(scores);
    },
    async bind({ name, namespace, uid }, node, signal) {
      await asked(bindVerb, { PodName: name, PodNamespace: namespace, PodUID: uid, Node: node }, signal);
    },
    async preempt(pod, candidates, signal) {
      const victims = candidates.map(({ node, victims: pods, violations }) => {
        const told = pods.map((victim) => (nodeCacheCapable ? { UID: victim.uid } : victim.raw));
        return [node, { Pods: told, NumPDBViolations: violations }] as const;
      });
      const byNode = Object.fromEntries(victims);
      const body = {
        Pod: pod.raw,
        NodeNameToVictims: nodeCacheCapable ? null : byNode,
        NodeNameToMetaVictims: nodeCacheCapable ? byNode : null,
      };
      const answer = recordOf(await asked(preemptVerb, body, signal));
      const left = new Map(Object.entries(recordOf(fieldOf(answer, "NodeNameToMetaVictims"))));
      return candidates.flatMap((candidate): readonly Nomination[] => {
        const kept = left.get(candidate.node);
        if (kept === undefined) return [];
        const uids = new Set(listOf(fieldOf(recordOf(kept), "Pods")).map((each) => textOf(recordOf(each), "UID")));
        const violations = fieldOf(recordOf(kept), "NumPDBViolations");
        return [
          {
            node: candidate.node,
            victims: candidate.victims.filter(({ uid }) => uids.has(uid)),
            violations: typeof violations === "number" ? violations : candidate.violations,
          },
        ];
      });
    },
  };
}
