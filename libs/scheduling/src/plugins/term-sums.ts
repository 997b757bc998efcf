import type { DomainQuestion } from "../cluster/domain-counts.js";
import type { PodGroup } from "../cluster/pod-groups.js";
import type { Tally } from "../cluster/tally.js";
import type { KeySums } from "../cluster/term-index.js";
import type { ClusterView } from "../cluster/view.js";
import { type NamespaceLabels, type PodTerm, termMatches, type WeightedPodTerm } from "../model/pod-terms.js";

/** Of so many terms each is followed; those of a pod that has more are added up anew in each of its cycles. */
const mostFollowed = 32;

/** Pods that match a term. */
export function questionOf(term: PodTerm, labelsOf: NamespaceLabels): DomainQuestion {
  return {
    text: `term ${term.text}`,
    selector: term.selector,
    counts: (pod) => termMatches(term, pod, labelsOf),
    domainOf: ({ labels }) => labels.get(term.topologyKey),
    byNamespaceLabels: term.namespaceSelector !== undefined,
  };
}

/**
 * Sums of the weights of terms over the pods that match them, for each topology key that nodes have: what a node is asked
 * grows with its labels, not with the terms.
 */
export function termSums(
  weighted: readonly WeightedPodTerm[],
  cluster: ClusterView,
  labelsOf: NamespaceLabels,
): readonly KeySums[] {
  const byKey = new Map<string, WeightedPodTerm[]>();
  for (const each of weighted) {
    const { selector, topologyKey: key } = each.term;
    if (selector === undefined || !cluster.hasNodeLabel(key)) continue;
    const own = byKey.get(key);
    if (own === undefined) byKey.set(key, [each]);
    else own.push(each);
  }
  const sums = weighted.length > mostFollowed ? addedUp : followed;
  return [...byKey].flatMap(([key, terms]) => sums(key, terms, { cluster, labelsOf }));
}

interface Of {
  readonly cluster: ClusterView;
  readonly labelsOf: NamespaceLabels;
}

function followed(key: string, terms: readonly WeightedPodTerm[], { cluster, labelsOf }: Of): readonly KeySums[] {
  const tallies: { readonly tally: Tally; readonly weight: number }[] = [];
  for (const { term, weight } of terms) {
    const tally = cluster.tally(questionOf(term, labelsOf));
    if (tally.total > 0) tallies.push({ tally, weight });
  }
  const [first, second] = tallies;
  if (first === undefined) return [];
  if (second === undefined) return [{ key, of: (domain) => first.tally.of(domain) * first.weight }];
  return [
    {
      key,
      of(domain) {
        let sum = 0;
        for (const { tally, weight } of tallies) sum += tally.of(domain) * weight;
        return sum;
      },
    },
  ];
}

/** First by groups of pods: thousands of terms match the same few of them. */
function addedUp(key: string, terms: readonly WeightedPodTerm[], { cluster, labelsOf }: Of): readonly KeySums[] {
  const weights = new Map<PodGroup, number>();
  for (const { term, weight } of terms) {
    if (term.selector === undefined) continue;
    for (const group of cluster.groups.candidates(term.selector)) {
      if (termMatches(term, group.like, labelsOf)) weights.set(group, (weights.get(group) ?? 0) + weight);
    }
  }
  const sums = new Map<string, number>();
  for (const [{ nodes }, weight] of weights) {
    if (weight === 0) continue;
    for (const [name, count] of nodes) {
      const domain = cluster.node(name)?.labels.get(key);
      if (domain !== undefined) sums.set(domain, (sums.get(domain) ?? 0) + count * weight);
    }
  }
  return sums.size === 0 ? [] : [{ key, of: (domain) => sums.get(domain) ?? 0 }];
}
