import type { ArgumentsOf } from "@orch/component-config/scheduler/arguments.js";
import type { DomainQuestion } from "../cluster/domain-counts.js";
import { groupText } from "../cluster/pod-groups.js";
import type { KeySums } from "../cluster/sums.js";
import type { Tally } from "../cluster/tally.js";
import type { ClusterView } from "../cluster/view.js";
import type { NodeFilter, Plugin } from "../framework/plugin.js";
import { maxNodeScore } from "../framework/profile.js";
import { skip, unresolvable, unschedulable } from "../framework/status.js";
import type { NodeInfo } from "../model/node-info.js";
import type { PodInfo } from "../model/pod-info.js";
import { matchesAll, type NamespaceLabels, type PodTerm, termMatches } from "../model/pod-terms.js";
import { shortText } from "../model/short-text.js";
import { preferredTerms, requiredTerms } from "../model/term-list.js";
import { createTermSums, questionOf, type TermSums } from "./term-sums.js";

const name = "InterPodAffinity";
const byOthers = unschedulable(name, "node(s) didn't satisfy existing pods anti-affinity rules");
const byAffinity = unresolvable(name, "node(s) didn't match pod affinity rules");
const byAntiAffinity = unschedulable(name, "node(s) didn't match pod anti-affinity rules");

/** Pods that want to be near to others, or far from them; and what others want of them. */
export function podAffinity(args: ArgumentsOf<"InterPodAffinity">, labelsOf: NamespaceLabels): Plugin {
  const termSums = createTermSums(labelsOf);
  return {
    name,
    preFilter: ({ pod, cluster }) => {
      const existing = cluster.terms.antiAffinity.matching(pod, labelsOf);
      const { affinity, antiAffinity } = pod.terms;
      const isFree = existing.length === 0 && affinity.length === 0 && antiAffinity.length === 0;
      // Pods that are to come to a node may want to be far from this one.
      if (isFree && !cluster.nominatedKeepAway) return skip;
      const known: Known = {
        pod,
        labelsOf,
        existing,
        affinity: questionsOfAll(affinity, labelsOf).map(({ key, question }) => ({
          key,
          // No node is in a domain of it, and no pod.
          counts: cluster.hasNodeLabel(key) ? cluster.tally(question) : nowhere,
        })),
        antiAffinity: antiAffinity.length === 0 ? [] : termSums(requiredTerms(antiAffinity), cluster),
        antiOf: antiMatches(antiAffinity, cluster, labelsOf),
        isItsOwn: matchesAll(affinity, pod, labelsOf),
      };
      return { code: "Ready", filter: filterWith(known, nothingMore) };
    },
    filter: "prepared",
    preScore: ({ pod, cluster }) => {
      const parts = scoreParts(pod, cluster, { args, labelsOf, termSums });
      if (parts.length === 0) return skip;
      return {
        score: ({ labels }) => {
          let sum = 0;
          for (const { key, of } of parts) {
            const domain = labels.get(key);
            if (domain !== undefined) sum += of(domain);
          }
          return sum;
        },
        normalize: normalizeBetween,
      };
    },
    score: "prepared",
    events: [
      {
        resource: "AssignedPod",
        actions: ["Add", "Delete", "UpdatePodLabel"],
        hint: (pod, event) =>
          event.resource === "AssignedPod" &&
          [event.before, event.after].some((other) => other !== undefined && areConcerned(pod, other, labelsOf)),
      },
      { resource: "UnscheduledPod", actions: ["UpdatePodLabel"] },
      {
        resource: "Node",
        actions: ["Add", "UpdateNodeLabel"],
        hint: (pod, event) => {
          if (event.resource !== "Node" || event.after === undefined) return false;
          const { labels } = event.after;
          const { affinity, antiAffinity } = pod.terms;
          return affinity.length === 0
            ? antiAffinity.length === 0 || antiAffinity.some(({ topologyKey }) => labels.has(topologyKey))
            : affinity.every(({ topologyKey }) => labels.has(topologyKey));
        },
      },
    ],
  };
}

interface KeyQuestion {
  readonly key: string;
  readonly question: DomainQuestion;
}

/** Pods that match all terms of an affinity, by the domains of each of their topology keys. */
function questionsOfAll(terms: readonly PodTerm[], labelsOf: NamespaceLabels): readonly KeyQuestion[] {
  const [first, second] = terms;
  if (first === undefined) return [];
  if (second === undefined) return [{ key: first.topologyKey, question: questionOf(first, labelsOf) }];
  const all = shortText(terms.map(({ text }) => text).join(" "));
  const byNamespaceLabels = terms.some(({ namespaceSelector }) => namespaceSelector !== undefined);
  return [...new Set(terms.map(({ topologyKey }) => topologyKey))].map((key) => ({
    key,
    question: {
      text: `terms ${all} by ${key}`,
      selector: first.selector,
      counts: (pod) => matchesAll(terms, pod, labelsOf),
      domainOf: ({ labels }) => labels.get(key),
      byNamespaceLabels,
    },
  }));
}

const nowhere: Tally = { of: () => 0, total: 0 };

interface CountedKey {
  readonly key: string;
  readonly counts: Tally;
}

type ByKey = ReadonlyMap<string, number>;
const nobody: ByKey = new Map();

/** How many of the terms match a pod, by topology key: found once for pods that are alike. */
function antiMatches(
  terms: readonly PodTerm[],
  cluster: ClusterView,
  labelsOf: NamespaceLabels,
): (pod: PodInfo) => ByKey {
  if (terms.length === 0) return () => nobody;
  const known = new Map<string, ByKey>();
  return (pod) => {
    const text = groupText(pod);
    const before = known.get(text);
    if (before !== undefined) return before;
    const matches = new Map<string, number>();
    for (const term of terms) {
      const { topologyKey: key } = term;
      if (cluster.hasNodeLabel(key) && termMatches(term, pod, labelsOf)) matches.set(key, (matches.get(key) ?? 0) + 1);
    }
    known.set(text, matches);
    return matches;
  };
}

interface Known {
  readonly pod: PodInfo;
  readonly labelsOf: NamespaceLabels;
  /** Pods on nodes that keep this pod away. */
  readonly existing: readonly KeySums[];
  /** Pods that match all terms, by each of their topology keys. */
  readonly affinity: readonly CountedKey[];
  /** Pods that this one keeps away from. */
  readonly antiAffinity: readonly KeySums[];
  readonly antiOf: (pod: PodInfo) => ByKey;
  /** The pod matches its own affinity. */
  readonly isItsOwn: boolean;
}

/** Pods more than counted, in the domains of the one node that is asked about; by topology key. */
interface More {
  readonly affinity: number;
  readonly antiAffinity: ByKey;
  /** Pods whose anti-affinity this pod matches. */
  readonly existing: ByKey;
}
const nothingMore: More = { affinity: 0, antiAffinity: nobody, existing: nobody };

function filterWith(known: Known, more: More): NodeFilter {
  const { existing, affinity, antiAffinity } = known;
  const filter = (node: NodeInfo) => {
    if (affinity.length > 0 && !isNearEnough(known, more, node)) return byAffinity;
    if (isKeptAway(antiAffinity, more.antiAffinity, node)) return byAntiAffinity;
    return isKeptAway(existing, more.existing, node) ? byOthers : undefined;
  };
  return Object.assign(filter, {
    changed: (node: NodeInfo, pod: PodInfo, by: 1 | -1) => filterWith(known, moreBy(known, more, { node, pod, by })),
  });
}

/** Each term has a pod in the node's domain; or there is none anywhere yet, and the pod is the first of its kind. */
function isNearEnough({ affinity, isItsOwn }: Known, more: More, { labels }: NodeInfo): boolean {
  let areAll = true;
  let total = 0;
  for (const { key, counts } of affinity) {
    const domain = labels.get(key);
    if (domain === undefined) return false;
    if (counts.of(domain) + more.affinity <= 0) areAll = false;
    total += counts.total + more.affinity;
  }
  return areAll || (total <= 0 && isItsOwn);
}

function isKeptAway(counted: readonly KeySums[], more: ByKey, { labels }: NodeInfo): boolean {
  if (more.size === 0) {
    for (const { key, of } of counted) {
      const domain = labels.get(key);
      if (domain !== undefined && of(domain) > 0) return true;
    }
    return false;
  }
  const sums = new Map(more);
  for (const { key, of } of counted) sums.set(key, (sums.get(key) ?? 0) + of(labels.get(key) ?? ""));
  return [...sums].some(([key, sum]) => sum > 0 && labels.has(key));
}

function added(to: ByKey, what: ByKey, by: 1 | -1): ByKey {
  if (what.size === 0) return to;
  const sums = new Map(to);
  for (const [key, count] of what) sums.set(key, (sums.get(key) ?? 0) + by * count);
  return sums;
}

interface Change {
  readonly node: NodeInfo;
  readonly pod: PodInfo;
  readonly by: 1 | -1;
}

function moreBy({ pod: own, labelsOf, antiOf }: Known, more: More, { node, pod, by }: Change): More {
  const existing = new Map(more.existing);
  for (const term of pod.terms.antiAffinity) {
    if (!node.labels.has(term.topologyKey) || !termMatches(term, own, labelsOf)) continue;
    existing.set(term.topologyKey, (existing.get(term.topologyKey) ?? 0) + by);
  }
  const terms = own.terms.affinity;
  const isNear = terms.length > 0 && matchesAll(terms, pod, labelsOf);
  return {
    affinity: more.affinity + (isNear ? by : 0),
    antiAffinity: added(more.antiAffinity, antiOf(pod), by),
    existing,
  };
}

interface ScoredBy {
  readonly args: ArgumentsOf<"InterPodAffinity">;
  readonly labelsOf: NamespaceLabels;
  readonly termSums: TermSums;
}

/** What each domain of each label is worth: by the pod's own preferences, and by those of pods on nodes. */
function scoreParts(pod: PodInfo, cluster: ClusterView, { args, labelsOf, termSums }: ScoredBy): readonly KeySums[] {
  const { preferred, preferredAnti } = pod.terms;
  const hasOwn = preferred.length > 0 || preferredAnti.length > 0;
  if (args.ignorePreferredTermsOfExistingPods && !hasOwn) return [];
  const own = [
    ...(preferred.length > 0 ? termSums(preferredTerms(preferred), cluster) : []),
    ...(preferredAnti.length > 0 ? times(termSums(preferredTerms(preferredAnti), cluster), -1) : []),
  ];
  const hard = args.hardPodAffinityWeight;
  const { terms } = cluster;
  return [
    ...own,
    ...(hard > 0 ? times(terms.affinity.matching(pod, labelsOf), hard) : []),
    ...terms.preferred.matching(pod, labelsOf),
    ...times(terms.preferredAnti.matching(pod, labelsOf), -1),
  ];
}

const times = (sums: readonly KeySums[], weight: number): readonly KeySums[] =>
  sums.map(({ key, of }) => ({ key, of: (domain) => of(domain) * weight }));

/** The lowest is 0, the highest 100. */
export function normalizeBetween(scores: Float64Array): void {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const score of scores) {
    if (score < min) min = score;
    if (score > max) max = score;
  }
  const width = max - min;
  for (let i = 0; i < scores.length; i++) {
    scores[i] = width > 0 ? Math.trunc(maxNodeScore * (((scores[i] ?? 0) - min) / width)) : 0;
  }
}

/** One of the pods has a required term that matches the other. */
function areConcerned(waiting: PodInfo, other: PodInfo, labelsOf: NamespaceLabels): boolean {
  return (
    waiting.terms.affinity.some((term) => termMatches(term, other, labelsOf)) ||
    waiting.terms.antiAffinity.some((term) => termMatches(term, other, labelsOf)) ||
    other.terms.antiAffinity.some((term) => termMatches(term, waiting, labelsOf))
  );
}
