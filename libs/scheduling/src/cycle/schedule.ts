import type { Cluster } from "../cluster/cluster.js";
import type { Cycle, Nomination } from "../framework/plugin.js";
import type { Profile } from "../framework/profile.js";
import { messageOf, type Rejection } from "../framework/status.js";
import type { NodeInfo } from "../model/node-info.js";
import type { PodInfo } from "../model/pod-info.js";
import { type Found, findFeasible } from "./feasible.js";
import { createFilterMemory } from "./filter-memory.js";
import { type Filters, filtersOn, prepareFilters } from "./filters.js";
import { fitErrorText } from "./fit-error.js";
import { highest, totalScores } from "./select.js";

/** What came of an attempt to find a node. */
export type Decision = Placed | Refused | Failed;

export interface Placed {
  readonly outcome: "placed";
  readonly node: string;
  /** Nodes that were looked at, and that fit. */
  readonly evaluated: number;
  readonly feasible: number;
}

export interface Refused {
  readonly outcome: "refused";
  /** For the pod's condition and the event. */
  readonly message: string;
  /** Plugins whose events are worth another try. */
  readonly plugins: ReadonlySet<string>;
  /** Plugins that wait for something outside. */
  readonly pending: ReadonlySet<string>;
  /** The node on which room is to be made. */
  readonly nomination: Nomination | undefined;
  /** Nodes among which it was chosen: whoever asks others (extenders) about them chooses again by `bestCandidate`. */
  readonly candidates: readonly Nomination[];
  /** What the pod was nominated for before is of no use. */
  readonly clearNomination: boolean;
}

export interface Failed {
  readonly outcome: "failed";
  readonly message: string;
}

/** The step between filters and scores, for whoever asks others about the nodes (extenders). */
export interface Candidates {
  readonly profile: Profile;
  readonly filters: Filters;
  readonly found: Found;
}

/** Added to the plugins' totals, by node. */
export type MoreScores = (node: string) => number;

export interface Cycles {
  /** The whole way for a pod of a profile. The cluster is not changed: the caller assumes what it does with the answer. */
  schedule(profile: Profile, pod: PodInfo, now: number): Decision;
  /** First half: the nodes that fit. */
  candidates(profile: Profile, pod: PodInfo, now: number): Candidates | Refused | Failed;
  /** Second half, for the nodes that are left. */
  choose(candidates: Candidates, left: readonly NodeInfo[], more?: MoreScores): Decision;
  /** Nobody is left: makes room if a plugin can. `rejections` are those of nodes that others refused. */
  refuse(candidates: Candidates, rejections?: ReadonlyMap<string, Rejection>): Refused;
}

/** Extension points of a cycle, by the reference's names. */
export type CyclePoint = "PreFilter" | "Filter" | "PostFilter" | "PreScore" | "Score";

/** Told how long the plugins of a point took together in one cycle, for metrics. */
export interface CycleMeasure {
  /** Seconds of any clock that does not go back. */
  readonly seconds: () => number;
  readonly took: (point: CyclePoint, status: Rejection["code"] | "Success", profile: string, seconds: number) => void;
}

export interface CycleOptions {
  readonly cluster: Cluster;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  /** Where a profile says nothing of its own. */
  readonly percentageOfNodesToScore: number;
  /** Others filter too: that nothing scores does not mean that one node is enough. */
  readonly othersFilter?: boolean;
  readonly measure?: CycleMeasure;
}

/** Why a pod that was taken from the queue is not to be tried at all. */
export function reasonToSkip(pod: PodInfo, cluster: Cluster): string | undefined {
  if (pod.terminating) return `skip schedule deleting pod: ${pod.key}`;
  return cluster.isAssumed(pod.key) ? `skip schedule assumed pod: ${pod.key}` : undefined;
}

const nobody: ReadonlySet<string> = new Set();
const noNodes = "no nodes available to schedule pods";

export function createCycles(options: CycleOptions): Cycles {
  const { cluster, random, percentageOfNodesToScore, othersFilter = false, measure } = options;
  const judgeOf = createFilterMemory();
  let next = 0;

  const candidates: Cycles["candidates"] = (profile, pod, now) => {
    const count = cluster.nodes.length;
    if (count === 0) {
      return refusal(noNodes, nobody, nobody);
    }
    const cycle: Cycle = { pod, cluster, now };
    const watch = stopwatch(measure, profile);
    const filters = prepareFilters(profile, cycle);
    watch?.("PreFilter", filters.rejection?.code);
    if (filters.rejection !== undefined)
      return refusedBefore(profile, filters, { rejection: filters.rejection, measure });
    const found = findFeasible(filters, judgeOf(filters), {
      start: next,
      percentage: profile.percentageOfNodesToScore ?? percentageOfNodesToScore,
      anyNode: profile.score.length === 0 && !othersFilter,
    });
    watch?.("Filter", found.error?.code ?? (found.feasible.length > 0 ? undefined : "Unschedulable"));
    if (found.error !== undefined) return { outcome: "failed", message: messageOf(found.error) };
    next = (next + found.advance) % count;
    return { profile, filters, found };
  };

  const choose: Cycles["choose"] = ({ profile, filters, found }, left, more) => {
    const [first] = left;
    if (first === undefined) return refuse({ profile, filters, found });
    const placedOn = ({ name }: NodeInfo): Placed => ({
      outcome: "placed",
      node: name,
      evaluated: found.evaluated,
      feasible: left.length,
    });
    if (left.length === 1) return placedOn(first);
    const watch = stopwatch(measure, profile);
    let begun = false;
    const { totals, error } = totalScores(profile, filters.cycle, left, {
      prepared(rejection) {
        begun = rejection === undefined;
        watch?.("PreScore", rejection?.code);
      },
    });
    if (begun) watch?.("Score", error?.code);
    if (error !== undefined) return { outcome: "failed", message: messageOf(error) };
    if (more !== undefined) for (const [i, { name }] of left.entries()) totals[i] = (totals[i] ?? 0) + more(name);
    return placedOn(left[highest(totals, random)] ?? first);
  };

  const refuse: Cycles["refuse"] = (given, others) => refusedBy(given, { others, measure });

  return {
    candidates,
    choose,
    refuse,
    schedule(profile, pod, now) {
      const given = candidates(profile, pod, now);
      if ("outcome" in given) return given;
      return given.found.feasible.length === 0 ? refuse(given) : choose(given, given.found.feasible);
    },
  };
}

const refusal = (message: string, plugins: ReadonlySet<string>, pending: ReadonlySet<string>): Refused => ({
  outcome: "refused",
  message,
  plugins,
  pending,
  nomination: undefined,
  candidates: [],
  clearNomination: false,
});

/** No node was looked at: each of them has the rejection of the pod as a whole. */
function refusedBefore(
  profile: Profile,
  filters: Filters,
  { rejection, measure }: { readonly rejection: Rejection; readonly measure: CycleMeasure | undefined },
): Refused | Failed {
  if (rejection.code === "Error") return { outcome: "failed", message: messageOf(rejection) };
  const pending = new Set(rejection.code === "Pending" ? [rejection.plugin] : []);
  const plugins = pending.size > 0 ? nobody : new Set(filters.narrowed?.plugins ?? [rejection.plugin]);
  const nodes = filters.cycle.cluster.nodes.length;
  const room = makeRoom(profile, filters, { looked: [], rejections: [], absent: rejection, measure });
  return {
    ...refusal(
      fitErrorText({ nodes, before: rejection, rejections: [], postFilter: room.message }),
      plugins.has(rejection.plugin) || pending.size > 0 ? plugins : new Set([...plugins, rejection.plugin]),
      pending,
    ),
    nomination: room.nomination,
    candidates: room.candidates,
    clearNomination: room.clearNomination,
  };
}

interface Others {
  /** Of nodes that others refused. */
  readonly others: ReadonlyMap<string, Rejection> | undefined;
  readonly measure: CycleMeasure | undefined;
}

function refusedBy({ profile, filters, found }: Candidates, { others, measure }: Others): Refused {
  const { looked, absent } = found;
  const rejections =
    others === undefined ? found.rejections : looked.map((node, i) => others.get(node.name) ?? found.rejections[i]);
  const blamed = new Set<Rejection>();
  let last: Rejection | undefined;
  for (const rejection of rejections) {
    if (rejection === undefined || rejection === last) continue;
    blamed.add(rejection);
    last = rejection;
  }
  const plugins = new Set<string>();
  const pending = new Set<string>();
  for (const { code, plugin } of blamed) if (plugin !== "") (code === "Pending" ? pending : plugins).add(plugin);
  for (const plugin of filters.narrowed?.plugins ?? []) plugins.add(plugin);
  const room = makeRoom(profile, filters, { looked, rejections, absent, measure });
  const nodes = filters.cycle.cluster.nodes.length;
  return {
    ...refusal(fitErrorText({ nodes, rejections, absent, postFilter: room.message }), plugins, pending),
    nomination: room.nomination,
    candidates: room.candidates,
    clearNomination: room.clearNomination,
  };
}

interface Room {
  readonly message: string;
  readonly nomination: Nomination | undefined;
  readonly candidates: readonly Nomination[];
  readonly clearNomination: boolean;
}

/** Plugins in turn, until one makes room. */
function makeRoom(
  profile: Profile,
  filters: Filters,
  { measure, ...refused }: Pick<Found, "looked" | "rejections" | "absent"> & Pick<Others, "measure">,
): Room {
  if (profile.postFilter.length === 0) return roomBy(profile, filters, refused);
  const watch = stopwatch(measure, profile);
  const room = roomBy(profile, filters, refused);
  watch?.("PostFilter", room.nomination === undefined ? "Unschedulable" : undefined);
  return room;
}

/** Tells the time since it was told last; undefined where nobody measures. */
function stopwatch(
  measure: CycleMeasure | undefined,
  { schedulerName }: Profile,
): ((point: CyclePoint, code: Rejection["code"] | undefined) => void) | undefined {
  if (measure === undefined) return undefined;
  let since = measure.seconds();
  return (point, code) => {
    const at = measure.seconds();
    measure.took(point, code ?? "Success", schedulerName, at - since);
    since = at;
  };
}

function roomBy(profile: Profile, filters: Filters, refused: Pick<Found, "looked" | "rejections" | "absent">): Room {
  const messages: string[] = [];
  let clearNomination = false;
  for (const { postFilter } of profile.postFilter) {
    const isLocal = filters.filters.every((filter) => filter.isLocal === true);
    const answer = postFilter({ cycle: filters.cycle, ...refused, isLocal, filtersOn: filtersOn(filters) });
    if (answer.code === "Success") return { message: "", ...answer, clearNomination: false };
    messages.push(answer.message);
    clearNomination ||= answer.clearNomination;
  }
  return { message: messages.join(", "), nomination: undefined, candidates: [], clearNomination };
}
