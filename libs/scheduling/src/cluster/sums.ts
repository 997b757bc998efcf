import type { Described, NamespaceLabels, WeightedPodTerm } from "../model/pod-terms.js";
import { termMatches } from "../model/pod-terms.js";

/** Sums for the domains of a topology key. */
export interface KeySums {
  readonly key: string;
  of(domain: string): number;
}

/** Domains with their sums; one whose sum is 0 is not there. */
export type DomainSums = Map<string, number>;

export function addTo(sums: DomainSums, domain: string, by: number): void {
  const sum = (sums.get(domain) ?? 0) + by;
  if (sum === 0) sums.delete(domain);
  else sums.set(domain, sum);
}

/** Sums of the weights of those terms that match a pod, by topology key. */
export function weightsFor(
  pod: Described,
  terms: Iterable<WeightedPodTerm>,
  labelsOf: NamespaceLabels,
): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const { term, weight } of terms) if (termMatches(term, pod, labelsOf)) addTo(weights, term.topologyKey, weight);
  return weights;
}
