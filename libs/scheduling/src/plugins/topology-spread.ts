import type { ArgumentsOf } from "@orch/component-config/scheduler/arguments.js";
import type { Naming } from "@orch/naming/naming.js";
import type { DomainCounts } from "../cluster/domain-counts.js";
import type { ClusterView } from "../cluster/view.js";
import type { ClusterEvent } from "../framework/events.js";
import type { NodeFilter, NodeScore, Plugin } from "../framework/plugin.js";
import { maxNodeScore } from "../framework/profile.js";
import { skip, unresolvable, unschedulable } from "../framework/status.js";
import type { NodeFacts, NodeInfo } from "../model/node-info.js";
import type { RawSpread } from "../model/objects.js";
import type { PodInfo } from "../model/pod-info.js";
import { defaultSelector } from "./default-selector.js";
import { type Action, type Constraint, constraintsOf, domainQuestion, nodeQuestion } from "./spread-constraints.js";

const name = "PodTopologySpread";
const uneven = unschedulable(name, "node(s) didn't match pod topology spread constraints");
const keyless = unresolvable(name, "node(s) didn't match pod topology spread constraints (missing required label)");

/** Pods of a kind spread evenly over the domains of node labels, strictly or as well as may be. */
export function topologySpread(args: ArgumentsOf<"PodTopologySpread">, naming: Naming): Plugin {
  const hostname = naming.key("hostname");
  const isSystem = args.defaultingType === "System";
  const defaults: readonly RawSpread[] = isSystem
    ? [
        { topologyKey: hostname, maxSkew: 3, whenUnsatisfiable: "ScheduleAnyway" },
        { topologyKey: `topology.${naming.key("zone")}`, maxSkew: 5, whenUnsatisfiable: "ScheduleAnyway" },
      ]
    : args.defaultConstraints;

  const constraintsFor = (pod: PodInfo, action: Action, cluster: ClusterView): readonly Constraint[] => {
    if (pod.spread.length > 0) return constraintsOf(pod.spread, action, pod);
    if (!defaults.some(({ whenUnsatisfiable }) => whenUnsatisfiable === action)) return [];
    const selector = defaultSelector(pod, cluster);
    return selector === undefined ? [] : constraintsOf(defaults, action, pod, selector);
  };

  return {
    name,
    preFilter: ({ pod, cluster }) => {
      const constraints = constraintsFor(pod, "DoNotSchedule", cluster);
      if (constraints.length === 0) return skip;
      return { code: "Ready", filter: strictFilter(constraints, pod, cluster) };
    },
    filter: "prepared",
    preScore: ({ pod, cluster }, nodes) => {
      const constraints = constraintsFor(pod, "ScheduleAnyway", cluster);
      if (constraints.length === 0) return skip;
      // With the system's defaults a node without zone is still told apart from others by what it holds.
      const needsAll = pod.spread.length > 0 || !isSystem;
      return looseScore({ constraints, pod, cluster, nodes, needsAll, hostname });
    },
    score: "prepared",
    events: [
      {
        resource: "AssignedPod",
        actions: ["Add", "Delete", "UpdatePodLabel"],
        hint: (pod, event) => concernsPods(pod, event),
      },
      { resource: "UnscheduledPod", actions: ["UpdatePodLabel"] },
      {
        resource: "Node",
        actions: ["Add", "Delete", "UpdateNodeLabel", "UpdateNodeTaint"],
        hint: (pod, event) => event.resource === "Node" && concernsNode(pod, event.before, event.after),
      },
    ],
  };
}

interface Counted {
  readonly constraint: Constraint;
  readonly counts: DomainCounts;
  /** 1 where the pod itself will be counted. */
  readonly self: number;
  readonly domainOf: (node: NodeFacts) => string | undefined;
  readonly includes: (pod: PodInfo) => boolean;
}

function strictFilter(constraints: readonly Constraint[], pod: PodInfo, cluster: ClusterView): NodeFilter {
  const keys = constraints.map(({ topologyKey }) => topologyKey).sort();
  // No node has all labels, so that nobody is counted anywhere: a pod may name thousands of them.
  if (keys.some((key) => !cluster.hasNodeLabel(key))) return () => keyless;
  const counted = constraints.map((constraint): Counted => {
    const question = domainQuestion(constraint, pod, keys);
    return {
      constraint,
      counts: cluster.domains(question),
      self: constraint.selector?.matches(pod.labels) === true ? 1 : 0,
      domainOf: question.domainOf,
      includes: question.counts,
    };
  });
  return filterWith(counted, []);
}

/** `more`: how many pods more than counted stand in the node's domain, for each constraint. */
function filterWith(counted: readonly Counted[], more: readonly number[]): NodeFilter {
  const filter = ({ labels }: NodeInfo) => {
    for (const [i, { constraint, counts, self }] of counted.entries()) {
      const domain = labels.get(constraint.topologyKey);
      if (domain === undefined) return keyless;
      const by = more[i] ?? 0;
      const lowest = by === 0 ? counts.min : counts.minWith(domain, by);
      const min = counts.size < constraint.minDomains ? 0 : lowest;
      const has = counts.has(domain) ? counts.of(domain) + by : 0;
      if (has + self - min > constraint.maxSkew) return uneven;
    }
    return undefined;
  };
  const changed = (node: NodeInfo, pod: PodInfo, by: 1 | -1): NodeFilter =>
    filterWith(
      counted,
      counted.map(
        ({ domainOf, includes }, i) => (more[i] ?? 0) + (includes(pod) && domainOf(node) !== undefined ? by : 0),
      ),
    );
  return Object.assign(filter, { changed });
}

interface Scoring {
  readonly constraints: readonly Constraint[];
  readonly pod: PodInfo;
  readonly cluster: ClusterView;
  readonly nodes: readonly NodeInfo[];
  /** Nodes that lack one of the labels are left out. */
  readonly needsAll: boolean;
  readonly hostname: string;
}

function looseScore({ constraints, pod, cluster, nodes, needsAll, hostname }: Scoring): NodeScore {
  const keys = constraints.map(({ topologyKey }) => topologyKey).sort();
  const isLeftOut = ({ labels }: NodeFacts): boolean => needsAll && keys.some((key) => !labels.has(key));
  const scored = nodes.filter((node) => !isLeftOut(node));
  if (needsAll && scored.length === 0) return { score: () => 0 };
  const parts = constraints.map((constraint) => {
    const { topologyKey: key, maxSkew } = constraint;
    const isHost = key === hostname;
    const size = isHost ? scored.length : new Set(scored.map(({ labels }) => labels.get(key) ?? "")).size;
    const question = isHost ? nodeQuestion(constraint, pod) : domainQuestion(constraint, pod, needsAll ? keys : [key]);
    return { key, isHost, skew: maxSkew - 1, weight: Math.log(size + 2), counts: cluster.domains(question) };
  });
  return {
    score: (node) => {
      if (isLeftOut(node)) return 0;
      let sum = 0;
      for (const { key, isHost, skew, weight, counts } of parts) {
        const domain = node.labels.get(key);
        if (domain !== undefined) sum += counts.of(isHost ? node.name : domain) * weight + skew;
      }
      return Math.round(sum);
    },
    normalize: (scores, of) => normalizeSpread(scores, (i) => of[i] !== undefined && !isLeftOut(of[i])),
  };
}

/** The fewer the better; nodes that are left out have 0. */
export function normalizeSpread(scores: Float64Array, isScored: (i: number) => boolean): void {
  let [min, max] = [Number.POSITIVE_INFINITY, 0];
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i] ?? 0;
    if (!isScored(i)) continue;
    if (score < min) min = score;
    if (score > max) max = score;
  }
  for (let i = 0; i < scores.length; i++) {
    if (!isScored(i)) scores[i] = 0;
    else if (max === 0) scores[i] = maxNodeScore;
    else scores[i] = Math.trunc((maxNodeScore * (max + min - (scores[i] ?? 0))) / max);
  }
}

/** Pods of the same namespace that a constraint counts, or counted; default constraints may count any. */
function concernsPods(pod: PodInfo, event: ClusterEvent): boolean {
  if (event.resource !== "AssignedPod") return false;
  const constraints = constraintsOf(pod.spread, "DoNotSchedule", pod);
  return [event.before, event.after].some(
    (other) =>
      other !== undefined &&
      other.namespace === pod.namespace &&
      (constraints.length === 0 || constraints.some(({ selector }) => selector?.matches(other.labels) === true)),
  );
}

/** Nodes that make or end a domain have all of the labels. */
function concernsNode(pod: PodInfo, before: NodeFacts | undefined, after: NodeFacts | undefined): boolean {
  const constraints = constraintsOf(pod.spread, "DoNotSchedule", pod);
  return [before, after].some(
    (node) => node !== undefined && constraints.every(({ topologyKey }) => node.labels.has(topologyKey)),
  );
}
