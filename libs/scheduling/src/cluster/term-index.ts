import type { Described, NamespaceLabels, PodTerm, WeightedPodTerm } from "../model/pod-terms.js";
import { termMatches } from "../model/pod-terms.js";
import { shortText } from "../model/short-text.js";
import type { TermList } from "../model/term-list.js";
import { createByLabel } from "./by-label.js";
import { createChangeLog } from "./change-log.js";
import { createKeptSums } from "./kept-sums.js";
import { groupText } from "./pod-groups.js";
import { addTo, type DomainSums, type KeySums, weightsFor } from "./sums.js";

/** The terms of one sort of all pods on nodes; those of equal text are one. */
export interface TermIndex {
  /** Of the terms that match a pod: the sum of their weights in each domain, for each topology key. */
  matching(pod: Described, labelsOf: NamespaceLabels): readonly KeySums[];
  /** A pod with these terms comes to a node with these labels, or goes. */
  change(list: TermList, labels: ReadonlyMap<string, string>, by: 1 | -1): void;
  /** Terms by labels of namespaces match others than before. */
  namespacesChanged(): void;
}

/**
 * Terms that are counted together: one that many pods have, or the whole list of a pod with very many, so that another pod
 * of its template is one number more for each key.
 */
interface Group {
  readonly terms: readonly GroupTerm[];
  /** By topology key; those that no node has are not there. */
  readonly domains: Map<string, DomainSums>;
  /** About what it takes in memory. */
  readonly weight: number;
}

interface GroupTerm extends WeightedPodTerm {
  readonly group: Group;
}

interface Change {
  readonly group: Group;
  readonly key: string;
  /** Of the group and the key. */
  readonly domains: DomainSums;
  readonly domain: string;
  readonly by: number;
}

/** What is known for pods alike, of one topology key. */
type Part =
  /** The groups that match, with their weights: asked in turn. */
  | { readonly kind: "asked"; readonly groups: Map<DomainSums, number> }
  /** Those of many groups, added up. */
  | { readonly kind: "summed"; readonly sums: DomainSums };

interface Answer {
  readonly parts: Map<string, Part>;
  mark: number;
  sums: readonly KeySums[];
}

/** So many groups are asked in turn, and the terms of so few are looked at anew for each pod. */
const mostAsked = 8;
/** A longer list is counted as a whole. */
const mostAlone = 32;
/** Of changes; those that begin or end a group weigh what its terms do. */
const mostChanges = 1 << 15;
const charactersOfOne = 128;
const nothing: readonly KeySums[] = [];

export function createTermIndex(): TermIndex {
  const groups = new Map<string, Group>();
  const byLabel = createByLabel<GroupTerm>();
  const changes = createChangeLog<Change>(mostChanges);
  const kept = createKeptSums<Answer>();

  const made = (pod: Described, labelsOf: NamespaceLabels): Answer => {
    const parts = new Map<string, Map<DomainSums, number>>();
    byLabel.candidates(pod.labels, ({ term, weight, group }) => {
      const domains = group.domains.get(term.topologyKey);
      if (domains === undefined || !termMatches(term, pod, labelsOf)) return;
      const own = parts.get(term.topologyKey);
      if (own === undefined) parts.set(term.topologyKey, new Map([[domains, weight]]));
      else own.set(domains, (own.get(domains) ?? 0) + weight);
    });
    const asked = [...parts].map(([key, of]): [string, Part] => [key, { kind: "asked", groups: of }]);
    return settled({ parts: new Map(asked), mark: 0, sums: [] });
  };

  /** False: too much has changed. */
  const catchUp = (answer: Answer, pod: Described, labelsOf: NamespaceLabels): boolean => {
    const weights = new Map<Group, ReadonlyMap<string, number>>();
    let isSame = true;
    const isKnown = changes.since(answer.mark, ({ group, key, domains, domain, by }) => {
      let own = weights.get(group);
      if (own === undefined) {
        own = weightsFor(pod, group.terms, labelsOf);
        weights.set(group, own);
      }
      const weight = own.get(key);
      if (weight === undefined) return;
      isSame = false;
      const part: Part = answer.parts.get(key) ?? { kind: "asked", groups: new Map() };
      answer.parts.set(key, part);
      if (part.kind === "summed") addTo(part.sums, domain, by * weight);
      else if (domains.size > 0) part.groups.set(domains, weight);
      else part.groups.delete(domains);
    });
    if (isKnown && !isSame) settled(answer);
    return isKnown;
  };

  const begin = (text: string, terms: readonly WeightedPodTerm[], length: number): Group => {
    const own: GroupTerm[] = [];
    const group: Group = { terms: own, domains: new Map(), weight: 1 + Math.floor(length / charactersOfOne) };
    for (const { term, weight } of terms) {
      // A term that matches nothing is nobody's concern.
      if (term.selector === undefined) continue;
      const item = { term, weight, group };
      own.push(item);
      byLabel.add(item, term.selector);
    }
    groups.set(text, group);
    return group;
  };

  /** `counted`: each of these terms with the amount that a pod adds to its domain, or all of them as one. */
  const count = (
    { text, terms, length }: Pick<TermList, "text" | "terms" | "length">,
    counted: readonly (readonly [key: string, by: number])[],
    labels: ReadonlyMap<string, string>,
  ): void => {
    let group = groups.get(text);
    let isNew = group === undefined;
    for (const [key, by] of counted) {
      const domain = labels.get(key);
      if (domain === undefined || by === 0) continue;
      group ??= begin(text, terms, length);
      const domains = group.domains.get(key) ?? new Map<string, number>();
      group.domains.set(key, domains);
      addTo(domains, domain, by);
      if (domains.size === 0) group.domains.delete(key);
      changes.record({ group, key, domains, domain, by }, isNew || group.domains.size === 0 ? group.weight : 1);
      isNew = false;
    }
    if (group === undefined || group.domains.size > 0) return;
    groups.delete(text);
    for (const item of group.terms) if (item.term.selector !== undefined) byLabel.remove(item, item.term.selector);
  };

  return {
    matching(pod, labelsOf) {
      if (byLabel.size === 0) return nothing;
      if (byLabel.size <= mostAsked) return made(pod, labelsOf).sums;
      const text = shortText(groupText({ namespace: pod.namespace, labels: pod.labels, terminating: false }));
      const known = kept.get(text);
      const answer = known !== undefined && catchUp(known, pod, labelsOf) ? known : made(pod, labelsOf);
      answer.mark = changes.end;
      kept.set(text, answer, sizeOf(answer));
      return answer.sums;
    },
    change(list, labels, by) {
      if (list.terms.length > mostAlone) {
        return count(
          list,
          list.keys.map((key) => [key, by]),
          labels,
        );
      }
      for (const { term, weight } of list.terms) {
        if (term.selector !== undefined) count(aloneOf(term), [[term.topologyKey, by * weight]], labels);
      }
    },
    namespacesChanged: () => kept.clear(),
  };
}

/** The weight of a pod's term is in its sums: pods that want the same more or less are one group. */
const aloneOf = (term: PodTerm): Pick<TermList, "text" | "terms" | "length"> => ({
  text: term.text,
  terms: [{ term, weight: 1 }],
  length: term.text.length,
});

/** Sums where there are many groups, and nothing where there is none. */
function settled(answer: Answer): Answer {
  for (const [key, part] of answer.parts) {
    if (part.kind === "asked" && part.groups.size > mostAsked) {
      answer.parts.set(key, { kind: "summed", sums: addedUp(part.groups) });
    } else if ((part.kind === "asked" ? part.groups : part.sums).size === 0) answer.parts.delete(key);
  }
  answer.sums = [...answer.parts].map(([key, part]) => sumsOf(key, part));
  return answer;
}

const sizeOf = ({ parts }: Answer): number =>
  [...parts.values()].reduce((sum, part) => sum + (part.kind === "asked" ? part.groups : part.sums).size, 0);

function sumsOf(key: string, part: Part): KeySums {
  if (part.kind === "summed") return { key, of: (domain) => part.sums.get(domain) ?? 0 };
  const [first, second] = part.groups;
  if (first !== undefined && second === undefined) {
    const [domains, weight] = first;
    return { key, of: (domain) => (domains.get(domain) ?? 0) * weight };
  }
  const groups = [...part.groups];
  return {
    key,
    of(domain) {
      let sum = 0;
      for (const [domains, weight] of groups) sum += (domains.get(domain) ?? 0) * weight;
      return sum;
    },
  };
}

function addedUp(groups: ReadonlyMap<DomainSums, number>): DomainSums {
  const sums: DomainSums = new Map();
  for (const [domains, weight] of groups) for (const [domain, sum] of domains) addTo(sums, domain, sum * weight);
  return sums;
}
