import type { PodTerm, WeightedPodTerm } from "./pod-terms.js";
import { shortText } from "./short-text.js";

/** Terms of one sort of a pod: all of its anti-affinity, say. */
export interface TermList {
  readonly terms: readonly WeightedPodTerm[];
  /** The same for lists that say the same. */
  readonly text: string;
  /** Topology keys, each once. */
  readonly keys: readonly string[];
  /** What it matches depends on labels of namespaces. */
  readonly byNamespaceLabels: boolean;
  /** Characters of its terms: about what it takes in memory. */
  readonly length: number;
}

const lists = new WeakMap<readonly object[], TermList>();

/** Made once for each array of terms, which is one for all that is done with its pod. */
function listOf(own: readonly object[], weighted: () => readonly WeightedPodTerm[]): TermList {
  const known = lists.get(own);
  if (known !== undefined) return known;
  const terms = weighted();
  const all = terms.map(({ term, weight }) => `${weight} ${term.text}`).join(" ");
  const list: TermList = {
    terms,
    text: shortText(all),
    keys: [...new Set(terms.map(({ term }) => term.topologyKey))],
    byNamespaceLabels: terms.some(({ term }) => term.namespaceSelector !== undefined),
    length: all.length,
  };
  lists.set(own, list);
  return list;
}

export const preferredTerms = (terms: readonly WeightedPodTerm[]): TermList => listOf(terms, () => terms);

export const requiredTerms = (terms: readonly PodTerm[]): TermList =>
  listOf(terms, () => terms.map((term) => ({ term, weight: 1 })));
