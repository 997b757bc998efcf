import type { ArgumentsOf } from "@orch/component-config/scheduler/arguments.js";
import { fitErrorText } from "../cycle/fit-error.js";
import type { Nomination, Plugin, PostFiltered, Unfit } from "../framework/plugin.js";
import { type Rejection, unresolvable } from "../framework/status.js";
import type { NodeInfo } from "../model/node-info.js";
import { askedText, type PodInfo } from "../model/pod-info.js";
import { bestCandidate } from "./choose.js";
import { victimsOn } from "./victims.js";

const name = "DefaultPreemption";
const notHelpful = unresolvable(name, "Preemption is not helpful for scheduling");

/** Room for a pod by making pods of lower priority go, as few and as unimportant ones as may be. */
export function defaultPreemption(args: ArgumentsOf<"DefaultPreemption">, random: () => number): Plugin {
  const memory = createMemory();
  return {
    name,
    postFilter: (unfit) => {
      const { cycle } = unfit;
      const why = whyNot(unfit);
      if (why !== undefined) return refused(why, false);
      const { cluster, now } = cycle;
      const possible = possibleNodes(unfit);
      const { candidates, rejections } = dryRun(possible, {
        victims: memory(unfit),
        wanted: candidatesWanted(possible.length, args),
        offset: Math.floor(random() * possible.length),
      });
      const best = bestCandidate(candidates, now);
      if (best !== undefined) return { code: "Success", nomination: best, candidates };
      return refused(fitErrorText({ nodes: cluster.nodes.length, rejections, absent: notHelpful }), true);
    },
  };
}

const refused = (why: string, clearNomination: boolean): PostFiltered => ({
  code: "Unschedulable",
  message: `preemption: ${why}`,
  clearNomination,
});

/** Why a pod must not make others go. */
function whyNot({ cycle: { pod, cluster }, looked, rejections, absent }: Unfit): string | undefined {
  if (!pod.preempts) return "not eligible due to preemptionPolicy=Never.";
  const node = pod.nominatedNode === "" ? undefined : cluster.node(pod.nominatedNode);
  if (node === undefined) return undefined;
  const at = looked.findIndex((each) => each.name === node.name);
  const rejection = (at < 0 ? undefined : rejections[at]) ?? absent;
  if (rejection?.code === "UnschedulableAndUnresolvable") return undefined;
  // Room is being made: more victims would go for nothing.
  const isUnderWay = node.pods.some((p) => p.priority < pod.priority && p.terminating && p.preempted);
  return isUnderWay ? "not eligible due to a terminating pod on the nominated node." : undefined;
}

function possibleNodes({ cycle, looked, rejections, absent }: Unfit): readonly NodeInfo[] {
  if (looked.length === 0) return absent?.code === "Unschedulable" ? cycle.cluster.nodes : [];
  return looked.filter((_, i) => rejections[i]?.code === "Unschedulable");
}

/** A part of the nodes, but not fewer than so many where there are as many. */
export function candidatesWanted(nodes: number, args: ArgumentsOf<"DefaultPreemption">): number {
  const part = Math.trunc((nodes * args.minCandidateNodesPercentage) / 100);
  return Math.min(nodes, Math.max(part, args.minCandidateNodesAbsolute));
}

interface Remembered {
  /** Pods that are nominated to the node, a list that is another value when it changes. */
  readonly coming: readonly PodInfo[];
  readonly answer: Nomination | Rejection;
}

type Victims = (node: NodeInfo) => Nomination | Rejection;

/**
 * Pods of one template ask for the same, and between two of them few nodes change: what was found on a node is remembered
 * for as long as the node is the same value, where nothing but the node matters.
 */
function createMemory(): (unfit: Unfit) => Victims {
  let text = "";
  let known = new WeakMap<NodeInfo, Remembered>();
  return ({ cycle, filtersOn, isLocal }) => {
    const { pod, cluster } = cycle;
    const look: Victims = (node) => victimsOn(filtersOn(node), pod, cycle);
    if (!isLocal || cluster.objects.PodDisruptionBudget.size > 0) return look;
    const asked = askedText(pod);
    if (asked !== text) [text, known] = [asked, new WeakMap()];
    return (node) => {
      const coming = cluster.nominated(node.name);
      if (coming.some(({ key }) => key === pod.key)) return look(node);
      const before = known.get(node);
      if (before?.coming === coming) return before.answer;
      const answer = look(node);
      known.set(node, { coming, answer });
      return answer;
    };
  };
}

interface DryRunOptions {
  readonly victims: Victims;
  readonly wanted: number;
  readonly offset: number;
}

interface DryRun {
  readonly candidates: readonly Nomination[];
  readonly rejections: readonly Rejection[];
}

/** Looks at nodes from the offset on, until enough are candidates and one of them breaks no budget. */
function dryRun(nodes: readonly NodeInfo[], { victims, wanted, offset }: DryRunOptions): DryRun {
  const [clean, violating]: readonly [Nomination[], Nomination[]] = [[], []];
  const rejections: Rejection[] = [];
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[(offset + i) % nodes.length];
    if (node === undefined) break;
    const answer = victims(node);
    if ("code" in answer) rejections.push(answer);
    else if (answer.victims.length > 0) (answer.violations === 0 ? clean : violating).push(answer);
    if (clean.length > 0 && clean.length + violating.length >= wanted) break;
  }
  return { candidates: [...clean, ...violating], rejections };
}
