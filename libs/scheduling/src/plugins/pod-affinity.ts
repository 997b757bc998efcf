import type { ArgumentsOf } from "@orch/component-config/scheduler/arguments.js";
import type { DomainCounts, DomainQuestion } from "../cluster/domain-counts.js";
import type { TermGroup } from "../cluster/term-index.js";
import type { ClusterView } from "../cluster/view.js";
import type { NodeFilter, Plugin } from "../framework/plugin.js";
import { maxNodeScore } from "../framework/profile.js";
import { skip, unresolvable, unschedulable } from "../framework/status.js";
import type { NodeInfo } from "../model/node-info.js";
import type { PodInfo } from "../model/pod-info.js";
import { matchesAll, type NamespaceLabels, type PodTerm, termMatches } from "../model/pod-terms.js";
import { shortText } from "../model/short-text.js";

const name = "InterPodAffinity";
const byOthers = unschedulable(name, "node(s) didn't satisfy existing pods anti-affinity rules");
const byAffinity = unresolvable(name, "node(s) didn't match pod affinity rules");
const byAntiAffinity = unschedulable(name, "node(s) didn't match pod anti-affinity rules");

/** Pods that want to be near to others, or far from them; and what others want of them. */
export function podAffinity(args: ArgumentsOf<"InterPodAffinity">, labelsOf: NamespaceLabels): Plugin {
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
          counts: cluster.domains(question),
        })),
        antiAffinity: antiAffinity.map((term) => ({ term, counts: cluster.domains(questionOf(term, labelsOf)) })),
        isItsOwn: matchesAll(affinity, pod, labelsOf),
      };
      return { code: "Ready", filter: filterWith(known, nothingMore) };
    },
    filter: "prepared",
    preScore: ({ pod, cluster }) => {
      const parts = scoreParts(pod, cluster, args, labelsOf);
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

/** Pods that match a term. */
function questionOf(term: PodTerm, labelsOf: NamespaceLabels): DomainQuestion {
  return {
    text: `term ${term.text}`,
    selector: term.selector,
    counts: (pod) => termMatches(term, pod, labelsOf),
    domainOf: ({ labels }) => labels.get(term.topologyKey),
    byNamespaceLabels: term.namespaceSelector !== undefined,
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

interface CountedTerm {
  readonly term: PodTerm;
  readonly counts: DomainCounts;
}

interface CountedKey {
  readonly key: string;
  readonly counts: DomainCounts;
}

interface Known {
  readonly pod: PodInfo;
  readonly labelsOf: NamespaceLabels;
  /** Terms of pods on nodes that keep this pod away. */
  readonly existing: readonly TermGroup[];
  /** Pods that match all terms, by each of their topology keys. */
  readonly affinity: readonly CountedKey[];
  readonly antiAffinity: readonly CountedTerm[];
  /** The pod matches its own affinity. */
  readonly isItsOwn: boolean;
}

/** Pods more than counted, in the domains of the one node that is asked about. */
interface More {
  readonly affinity: number;
  readonly antiAffinity: readonly number[];
  /** By topology key: pods whose anti-affinity this pod matches. */
  readonly existing: ReadonlyMap<string, number>;
}
const nothingMore: More = { affinity: 0, antiAffinity: [], existing: new Map() };

function filterWith(known: Known, more: More): NodeFilter {
  const { existing, affinity, antiAffinity } = known;
  const filter = (node: NodeInfo) => {
    if (affinity.length > 0 && !isNearEnough(known, more, node)) return byAffinity;
    for (const [i, { term, counts }] of antiAffinity.entries()) {
      const domain = node.labels.get(term.topologyKey);
      if (domain !== undefined && counts.of(domain) + (more.antiAffinity[i] ?? 0) > 0) return byAntiAffinity;
    }
    if (more.existing.size > 0) return isKeptAway(existing, more.existing, node) ? byOthers : undefined;
    for (const { term, domains } of existing) {
      const domain = node.labels.get(term.topologyKey);
      if (domain !== undefined && domains.has(domain)) return byOthers;
    }
    return undefined;
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

function isKeptAway(existing: readonly TermGroup[], more: ReadonlyMap<string, number>, { labels }: NodeInfo): boolean {
  const sums = new Map(more);
  for (const { term, domains } of existing) {
    const count = domains.get(labels.get(term.topologyKey) ?? "") ?? 0;
    sums.set(term.topologyKey, (sums.get(term.topologyKey) ?? 0) + count);
  }
  return [...sums].some(([key, sum]) => sum > 0 && labels.has(key));
}

interface Change {
  readonly node: NodeInfo;
  readonly pod: PodInfo;
  readonly by: 1 | -1;
}

function moreBy({ pod: own, labelsOf, antiAffinity }: Known, more: More, { node, pod, by }: Change): More {
  const existing = new Map(more.existing);
  for (const term of pod.terms.antiAffinity) {
    if (!node.labels.has(term.topologyKey) || !termMatches(term, own, labelsOf)) continue;
    existing.set(term.topologyKey, (existing.get(term.topologyKey) ?? 0) + by);
  }
  const terms = own.terms.affinity;
  const isNear = terms.length > 0 && matchesAll(terms, pod, labelsOf);
  return {
    affinity: more.affinity + (isNear ? by : 0),
    antiAffinity: antiAffinity.map(
      ({ term }, i) => (more.antiAffinity[i] ?? 0) + (termMatches(term, pod, labelsOf) ? by : 0),
    ),
    existing,
  };
}

interface ScorePart {
  readonly key: string;
  readonly of: (domain: string) => number;
}

/** What each domain of each label is worth: by the pod's own preferences, and by those of pods on nodes. */
function scoreParts(
  pod: PodInfo,
  cluster: ClusterView,
  args: ArgumentsOf<"InterPodAffinity">,
  labelsOf: NamespaceLabels,
): readonly ScorePart[] {
  const { preferred, preferredAnti } = pod.terms;
  const hasOwn = preferred.length > 0 || preferredAnti.length > 0;
  if (args.ignorePreferredTermsOfExistingPods && !hasOwn) return [];
  const own = [
    ...preferred.map(({ term, weight }) => ({ term, weight })),
    ...preferredAnti.map(({ term, weight }) => ({ term, weight: -weight })),
  ].flatMap(({ term, weight }): readonly ScorePart[] => {
    const counts = cluster.domains(questionOf(term, labelsOf));
    return counts.total === 0 ? [] : [{ key: term.topologyKey, of: (domain) => counts.of(domain) * weight }];
  });
  const hard = args.hardPodAffinityWeight;
  const { terms } = cluster;
  const ofOthers = (groups: readonly TermGroup[], weight: number): readonly ScorePart[] =>
    groups.map(({ term, domains }) => ({
      key: term.topologyKey,
      of: (domain) => (domains.get(domain) ?? 0) * weight,
    }));
  return [
    ...own,
    ...(hard > 0 ? ofOthers(terms.affinity.matching(pod, labelsOf), hard) : []),
    ...ofOthers(terms.preferred.matching(pod, labelsOf), 1),
    ...ofOthers(terms.preferredAnti.matching(pod, labelsOf), -1),
  ];
}

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
