import type { Described, NamespaceLabels, PodTerm } from "../model/pod-terms.js";
import { termMatches } from "../model/pod-terms.js";
import { createByLabel } from "./by-label.js";
import { groupText } from "./pod-groups.js";

/** Sums for the domains of a topology key. */
export interface KeySums {
  readonly key: string;
  of(domain: string): number;
}

/** The terms of one sort of all pods on nodes; those of equal text are one. */
export interface TermIndex {
  /** Of the terms that match a pod: how many of them are in each domain, or the sum of their weights, for each topology key. */
  matching(pod: Described, labelsOf: NamespaceLabels): readonly KeySums[];
  change(term: PodTerm, domain: string, by: number): void;
  /** Terms by labels of namespaces match others than before. */
  namespacesChanged(): void;
  readonly size: number;
}

interface Group {
  readonly term: PodTerm;
  readonly domains: Map<string, number>;
}

/** So many maps are asked in turn; more are added up, once for all nodes of a cycle. */
const mostAsked = 8;
/** Answers that are kept for pods alike while no term comes or goes. */
const mostKept = 64;
const nothing: readonly KeySums[] = [];

export function createTermIndex(): TermIndex {
  const groups = new Map<string, Group>();
  const byLabel = createByLabel<Group>();
  const kept = new Map<string, readonly KeySums[]>();
  const matching = (pod: Described, labelsOf: NamespaceLabels): readonly KeySums[] => {
    const found = new Map<string, Map<string, number>[]>();
    byLabel.candidates(pod.labels, ({ term, domains }) => {
      if (!termMatches(term, pod, labelsOf)) return;
      const own = found.get(term.topologyKey);
      if (own === undefined) found.set(term.topologyKey, [domains]);
      else own.push(domains);
    });
    return [...found].map(([key, domains]) => sumsOf(key, domains));
  };
  return {
    get size() {
      return groups.size;
    },
    matching(pod, labelsOf) {
      if (groups.size === 0) return nothing;
      if (groups.size <= mostAsked) return matching(pod, labelsOf);
      const text = groupText({ namespace: pod.namespace, labels: pod.labels, terminating: false });
      let sums = kept.get(text);
      if (sums === undefined) {
        sums = matching(pod, labelsOf);
        if (kept.size >= mostKept) kept.clear();
        kept.set(text, sums);
      }
      return sums;
    },
    change(term, domain, by) {
      // A term that matches nothing is nobody's concern.
      if (term.selector === undefined || by === 0) return;
      if (kept.size > 0) kept.clear();
      let group = groups.get(term.text);
      if (group === undefined) {
        group = { term, domains: new Map() };
        groups.set(term.text, group);
        byLabel.add(group, term.selector);
      }
      const sum = (group.domains.get(domain) ?? 0) + by;
      if (sum !== 0) group.domains.set(domain, sum);
      else group.domains.delete(domain);
      if (group.domains.size > 0) return;
      groups.delete(term.text);
      byLabel.remove(group, group.term.selector ?? term.selector);
    },
    namespacesChanged: () => kept.clear(),
  };
}

function sumsOf(key: string, all: readonly ReadonlyMap<string, number>[]): KeySums {
  const [first, second] = all;
  if (first === undefined || second === undefined) return { key, of: (domain) => first?.get(domain) ?? 0 };
  if (all.length > mostAsked) {
    const sums = addedUp(all);
    return { key, of: (domain) => sums.get(domain) ?? 0 };
  }
  return {
    key,
    of(domain) {
      let sum = 0;
      for (const domains of all) sum += domains.get(domain) ?? 0;
      return sum;
    },
  };
}

function addedUp(all: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const domains of all) for (const [domain, sum] of domains) sums.set(domain, (sums.get(domain) ?? 0) + sum);
  return sums;
}
