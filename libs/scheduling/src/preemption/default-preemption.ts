import type { ArgumentsOf } from "@orch/component-config/scheduler/arguments.js";
import { createPlaceMemory } from "../cluster/place-memory.js";
import { fitErrorText } from "../cycle/fit-error.js";
import type { Nomination, Plugin, PostFiltered, Unfit } from "../framework/plugin.js";
import { type Rejection, unresolvable } from "../framework/status.js";
import type { NodeInfo } from "../model/node-info.js";
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
      const looked = unfit.looked.length === 0 ? cluster.nodes : unfit.looked;
      const possible = possiblePlaces(unfit);
      const { candidates, rejections } = dryRun(possible, {
        victims: memory(unfit, looked),
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

/** Places of nodes on which making others go may help. */
function possiblePlaces({ cycle, looked, rejections, absent }: Unfit): readonly number[] {
  if (looked.length === 0) return absent?.code === "Unschedulable" ? [...cycle.cluster.nodes.keys()] : [];
  const places: number[] = [];
  for (let i = 0; i < rejections.length; i++) if (rejections[i]?.code === "Unschedulable") places.push(i);
  return places;
}

/** A part of the nodes, but not fewer than so many where there are as many. */
export function candidatesWanted(nodes: number, args: ArgumentsOf<"DefaultPreemption">): number {
  const part = Math.trunc((nodes * args.minCandidateNodesPercentage) / 100);
  return Math.min(nodes, Math.max(part, args.minCandidateNodesAbsolute));
}

type Answer = Nomination | Rejection;
/** Of the node at a place of those that were looked at. */
type Victims = (place: number) => Answer | undefined;

/** What was found on a node is remembered where nothing but the node matters. */
function createMemory(): (unfit: Unfit, looked: readonly NodeInfo[]) => Victims {
  const recall = createPlaceMemory<Answer>();
  return ({ cycle, filtersOn, isLocal }, looked) => {
    const { pod, cluster } = cycle;
    const look = (node: NodeInfo): Answer => victimsOn(filtersOn(node), pod, cycle);
    const isKept = isLocal && looked === cluster.nodes && cluster.objects.PodDisruptionBudget.size === 0;
    const answers = isKept ? recall(pod, cluster) : undefined;
    const own = cluster.nominatedNodeOf(pod.key);
    return (place) => {
      const node = looked[place];
      if (node === undefined) return undefined;
      if (answers === undefined || node.name === own) return look(node);
      const answer = answers[place] ?? look(node);
      answers[place] = answer;
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
function dryRun(places: readonly number[], { victims, wanted, offset }: DryRunOptions): DryRun {
  const [clean, violating]: readonly [Nomination[], Nomination[]] = [[], []];
  const rejections: Rejection[] = [];
  for (let i = 0; i < places.length; i++) {
    const answer = victims(places[(offset + i) % places.length] ?? -1);
    if (answer === undefined) break;
    if ("code" in answer) rejections.push(answer);
    else if (answer.victims.length > 0) (answer.violations === 0 ? clean : violating).push(answer);
    if (clean.length > 0 && clean.length + violating.length >= wanted) break;
  }
  return { candidates: [...clean, ...violating], rejections };
}
