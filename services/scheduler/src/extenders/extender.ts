import { type ApiObject, isRecord } from "@orch/client/objects.js";
import type { Extender as Configuration } from "@orch/component-config/scheduler/scheduler-configuration.js";
import type { Nomination } from "@orch/scheduling/framework/plugin.js";
import { type Rejection, unresolvable, unschedulable } from "@orch/scheduling/framework/status.js";
import type { NodeInfo } from "@orch/scheduling/model/node-info.js";
import type { PodInfo } from "@orch/scheduling/model/pod-info.js";
import type { Ask } from "./call.js";
import { type Answer, fieldOf, listOf, nodeNamesOf, reasonsOf, recordOf, textOf } from "./wire.js";

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
  /** What runs on a node, pods on their way included; undefined where there is no such node. */
  readonly podsOn: (node: string) => readonly PodInfo[] | undefined;
}

/** Plugins score to 100, extenders to 10. */
const scale = 10;

export function createExtender(configuration: Configuration, { ask, nodeObject, podsOn }: ExtenderDeps): Extender {
  const { urlPrefix, filterVerb, prioritizeVerb, bindVerb, preemptVerb, nodeCacheCapable, weight } = configuration;
  const managed = new Set(configuration.managedResources.map(({ name }) => name));
  const quotedUrl = JSON.stringify(urlPrefix);
  const asked = async (verb: string, body: object, signal: AbortSignal): Promise<Answer> => {
    const answer = await ask(verb, body, signal);
    // Whoever answers something else would else be taken to refuse every node.
    if (!isRecord(answer)) throw new Error(`extender ${quotedUrl} answers ${verb} with something that is no object`);
    const error = textOf(answer, "Error");
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
      const answer = await asked(filterVerb, argumentsOf(pod, nodes), signal);
      const byName = new Map(nodes.map((node) => [node.name, node]));
      const left = (nodeNamesOf(answer) ?? []).map((name) => {
        const node = byName.get(name);
        if (node !== undefined) return node;
        const claim = `extender ${quotedUrl} claims a filtered node ${JSON.stringify(name)}`;
        throw new Error(`${claim} which is not found in the input node list`);
      });
      const rejections = new Map<string, Rejection>();
      for (const [name, reason] of reasonsOf(answer, "FailedNodes")) rejections.set(name, unschedulable("", reason));
      for (const [name, reason] of reasonsOf(answer, "FailedAndUnresolvableNodes"))
        rejections.set(name, unresolvable("", reason));
      return { left, rejections };
    },
    async prioritize(pod, nodes, signal) {
      const answer = await ask(prioritizeVerb, argumentsOf(pod, nodes), signal);
      if (!Array.isArray(answer)) throw new Error(`extender ${quotedUrl} answers ${prioritizeVerb} with no list`);
      const scores = answer.map(recordOf).map((each): [string, number] => {
        const score = fieldOf(each, "Score") ?? 0;
        if (Number.isSafeInteger(score)) return [textOf(each, "Host"), Number(score) * weight * scale];
        throw new Error(`extender ${quotedUrl} gives a score that is no integer: ${JSON.stringify(score)}`);
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
      const answer = await asked(preemptVerb, body, signal);
      const left = recordOf(fieldOf(answer, "NodeNameToMetaVictims"));
      return Object.entries(left).map(([node, kept]): Nomination => {
        const on = podsOn(node);
        if (on === undefined) throw new Error(`nodeinfo not found for node name ${JSON.stringify(node)}`);
        const uids = listOf(fieldOf(recordOf(kept), "Pods")).map((each) => textOf(recordOf(each), "UID"));
        const victims = uids.map((uid) => {
          const victim = on.find((each) => each.uid === uid);
          if (victim !== undefined) return victim;
          const claim = `extender: ${urlPrefix} claims to preempt pod (UID: ${uid}) on node: ${node}`;
          throw new Error(`${claim}, but the pod is not found on that node`);
        });
        const violations = fieldOf(recordOf(kept), "NumPDBViolations");
        return { node, victims, violations: typeof violations === "number" ? violations : 0 };
      });
    },
  };
}
