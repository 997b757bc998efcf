import type { Described, NamespaceLabels, PodTerm } from "../model/pod-terms.js";
import { termMatches } from "../model/pod-terms.js";
import { createByLabel } from "./by-label.js";

/** A term that pods on nodes have, and where they are: how many of them, or the sum of their weights, by domain. */
export interface TermGroup {
  readonly term: PodTerm;
  readonly domains: ReadonlyMap<string, number>;
}

/** The terms of one sort of all pods on nodes; those of equal text are one. */
export interface TermIndex {
  /** Groups whose term matches a pod. */
  matching(pod: Described, labelsOf: NamespaceLabels): readonly TermGroup[];
  change(term: PodTerm, domain: string, by: number): void;
  readonly size: number;
}

interface Group extends TermGroup {
  readonly domains: Map<string, number>;
}

export function createTermIndex(): TermIndex {
  const groups = new Map<string, Group>();
  const byLabel = createByLabel<Group>();
  return {
    get size() {
      return groups.size;
    },
    matching(pod, labelsOf) {
      const found: TermGroup[] = [];
      byLabel.candidates(pod.labels, (group) => {
        if (termMatches(group.term, pod, labelsOf)) found.push(group);
      });
      return found;
    },
    change(term, domain, by) {
      // A term that matches nothing is nobody's concern.
      if (term.selector === undefined || by === 0) return;
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
  };
}
