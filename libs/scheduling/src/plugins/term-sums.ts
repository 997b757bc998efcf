import type { DomainQuestion } from "../cluster/domain-counts.js";
import { createKeptSums } from "../cluster/kept-sums.js";
import type { PodGroup } from "../cluster/pod-groups.js";
import { addTo, type DomainSums, type KeySums, weightsFor } from "../cluster/sums.js";
import type { Tally } from "../cluster/tally.js";
import type { ClusterView } from "../cluster/view.js";
import { type NamespaceLabels, type PodTerm, termMatches, type WeightedPodTerm } from "../model/pod-terms.js";
import type { TermList } from "../model/term-list.js";

/** Of so many terms each is followed; those of a longer list are added up, and kept as sums of all of them. */
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
export type TermSums = (list: TermList, cluster: ClusterView) => readonly KeySums[];

type ByKey = ReadonlyMap<string, readonly WeightedPodTerm[]>;

/** Sums of a long list, as of a place in the log of changes. */
interface Added {
  /** Of the terms whose topology key some node has; the others would cost as much and count nobody. */
  readonly byKey: ByKey;
  readonly sums: ReadonlyMap<string, DomainSums>;
  readonly namespaceChanges: number;
  mark: number;
}

export function createTermSums(labelsOf: NamespaceLabels): TermSums {
  const kept = createKeptSums<Added>();

  const made = (list: TermList, cluster: ClusterView): Added => {
    const byKey = termsByKey(list, cluster);
    const sums = new Map([...byKey].map(([key, terms]) => [key, addedUp(key, terms, { cluster, labelsOf })]));
    return { byKey, sums, namespaceChanges: cluster.namespaceChanges, mark: 0 };
  };
  const isUsable = (list: TermList, { byKey, namespaceChanges }: Added, cluster: ClusterView): boolean =>
    (!list.byNamespaceLabels || namespaceChanges === cluster.namespaceChanges) &&
    list.keys.every((key) => byKey.has(key) === cluster.hasNodeLabel(key));

  const added = (list: TermList, cluster: ClusterView): readonly KeySums[] => {
    const known = kept.get(list.text);
    const isKnown = known !== undefined && isUsable(list, known, cluster) && catchUp(known, cluster, labelsOf);
    const all = isKnown ? known : made(list, cluster);
    all.mark = cluster.groups.changes.end;
    let size = 0;
    for (const sums of all.sums.values()) size += sums.size;
    kept.set(list.text, all, size);
    return [...all.sums].flatMap(([key, sums]) =>
      sums.size === 0 ? [] : [{ key, of: (domain: string) => sums.get(domain) ?? 0 }],
    );
  };

  return (list, cluster) => {
    if (list.terms.length > mostFollowed) return added(list, cluster);
    return [...termsByKey(list, cluster)].flatMap(([key, terms]) => followed(key, terms, { cluster, labelsOf }));
  };
}

function termsByKey({ terms }: TermList, cluster: ClusterView): ByKey {
  const byKey = new Map<string, WeightedPodTerm[]>();
  for (const each of terms) {
    const { topologyKey: key } = each.term;
    if (!cluster.hasNodeLabel(key)) continue;
    const own = byKey.get(key);
    if (own === undefined) byKey.set(key, [each]);
    else own.push(each);
  }
  return byKey;
}

interface Of {
  readonly cluster: ClusterView;
  readonly labelsOf: NamespaceLabels;
}

function followed(key: string, terms: readonly WeightedPodTerm[], { cluster, labelsOf }: Of): readonly KeySums[] {
  const tallies: { readonly tally: Tally; readonly weight: number }[] = [];
  for (const { term, weight } of terms) {
    if (term.selector === undefined) continue;
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
function addedUp(key: string, terms: readonly WeightedPodTerm[], { cluster, labelsOf }: Of): DomainSums {
  const weights = new Map<PodGroup, number>();
  for (const { term, weight } of terms) {
    if (term.selector === undefined) continue;
    for (const group of cluster.groups.candidates(term.selector)) {
      if (termMatches(term, group.like, labelsOf)) weights.set(group, (weights.get(group) ?? 0) + weight);
    }
  }
  const sums: DomainSums = new Map();
  for (const [{ nodes }, weight] of weights) {
    for (const [name, count] of nodes) {
      const domain = cluster.node(name)?.labels.get(key);
      if (domain !== undefined) addTo(sums, domain, count * weight);
    }
  }
  return sums;
}

/**
 * Adds what has changed since. Groups of pods that came and went again cost nothing but that, so that this is never more
 * work than to begin anew. False: too much has changed.
 */
function catchUp({ byKey, sums, mark }: Added, { groups }: ClusterView, labelsOf: NamespaceLabels): boolean {
  const more = new Map<PodGroup, Map<ReadonlyMap<string, string>, number>>();
  const isKnown = groups.changes.since(mark, ({ group, labels, by }) => {
    const places = more.get(group) ?? new Map<ReadonlyMap<string, string>, number>();
    more.set(group, places);
    const count = (places.get(labels) ?? 0) + by;
    if (count === 0) places.delete(labels);
    else places.set(labels, count);
  });
  if (!isKnown) return false;
  for (const [{ like }, places] of more) {
    if (places.size === 0) continue;
    for (const [key, terms] of byKey) {
      const weight = weightsFor(like, terms, labelsOf).get(key);
      const own = sums.get(key);
      if (weight === undefined || own === undefined) continue;
      for (const [labels, count] of places) {
        const domain = labels.get(key);
        if (domain !== undefined) addTo(own, domain, count * weight);
      }
    }
  }
  return true;
}
