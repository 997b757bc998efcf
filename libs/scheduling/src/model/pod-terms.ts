import { compileSelector, type LabelSelector } from "@orch/api/kinds/shared/label-selector.js";
import { compileRequirements, type Labels } from "@orch/api/selectors/labels.js";
import type { Matcher } from "./matcher.js";
import type { RawPodAffinity, RawPodTerm } from "./objects.js";

/** What terms read of a pod. */
export interface Described {
  readonly namespace: string;
  readonly labels: Labels;
}

/** Labels of a namespace by its name. */
export type NamespaceLabels = (namespace: string) => Labels | undefined;

/** Pods of some namespaces with some labels, and the node label that tells domains apart. */
export interface PodTerm {
  readonly topologyKey: string;
  /** Undefined: the selector is absent or cannot be read, and matches nothing. */
  readonly selector: Matcher | undefined;
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: Matcher | undefined;
  /** The same for terms that say the same; with the key. */
  readonly text: string;
}

export interface WeightedPodTerm {
  readonly weight: number;
  readonly term: PodTerm;
}

const known = new Map<string, Matcher | undefined>();
const mostKnown = 4096;

/** A selector compiled; the same text gives the same value, because every pod of a template brings the same. */
export function selectorOf(selector: LabelSelector | undefined, text = textOf(selector)): Matcher | undefined {
  if (selector === undefined) return undefined;
  if (!known.has(text)) {
    if (known.size >= mostKnown) known.clear();
    known.set(text, compileSelector(selector));
  }
  return known.get(text);
}

export const textOf = (selector: LabelSelector | undefined): string =>
  selector === undefined ? "" : JSON.stringify([selector.matchLabels ?? {}, selector.matchExpressions ?? []]);

/** A selector that also asks for values of labels. */
export const narrowed = (selector: Matcher, labels: readonly (readonly [key: string, value: string])[]): Matcher =>
  labels.length === 0
    ? selector
    : compileRequirements([
        ...selector.requirements,
        ...labels.map(([key, value]) => ({ key, operator: "in" as const, values: [value] })),
      ]);

/** Without namespaces and a selector of them, a term is about its pod's own namespace. */
export function podTermOf(raw: RawPodTerm, namespace: string): PodTerm {
  const { topologyKey = "", labelSelector, namespaceSelector } = raw;
  const listed = raw.namespaces ?? [];
  const namespaces = listed.length === 0 && namespaceSelector === undefined ? [namespace] : [...listed].sort();
  const [selectorText, namespaceText] = [textOf(labelSelector), textOf(namespaceSelector)];
  return {
    topologyKey,
    selector: selectorOf(labelSelector, selectorText),
    namespaces: new Set(namespaces),
    namespaceSelector: selectorOf(namespaceSelector, namespaceText),
    text: JSON.stringify([topologyKey, selectorText, namespaces, namespaceText]),
  };
}

export function termMatches(term: PodTerm, pod: Described, labelsOf: NamespaceLabels): boolean {
  if (term.selector === undefined) return false;
  const { namespaces, namespaceSelector } = term;
  if (!namespaces.has(pod.namespace) && namespaceSelector?.matches(labelsOf(pod.namespace)) !== true) return false;
  return term.selector.matches(pod.labels);
}

export function matchesAll(terms: readonly PodTerm[], pod: Described, labelsOf: NamespaceLabels): boolean {
  for (const term of terms) if (!termMatches(term, pod, labelsOf)) return false;
  return true;
}

/** All terms of a pod about other pods. */
export interface PodTerms {
  readonly affinity: readonly PodTerm[];
  readonly antiAffinity: readonly PodTerm[];
  readonly preferred: readonly WeightedPodTerm[];
  readonly preferredAnti: readonly WeightedPodTerm[];
}

export const noTerms: PodTerms = { affinity: [], antiAffinity: [], preferred: [], preferredAnti: [] };

export function podTermsOf(
  affinity: RawPodAffinity | undefined,
  anti: RawPodAffinity | undefined,
  namespace: string,
): PodTerms {
  if (affinity === undefined && anti === undefined) return noTerms;
  const required = (raw: RawPodAffinity | undefined) =>
    (raw?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => podTermOf(term, namespace));
  const preferred = (raw: RawPodAffinity | undefined) =>
    (raw?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ weight = 0, podAffinityTerm = {} }) => ({
      weight,
      term: podTermOf(podAffinityTerm, namespace),
    }));
  return {
    affinity: required(affinity),
    antiAffinity: required(anti),
    preferred: preferred(affinity),
    preferredAnti: preferred(anti),
  };
}
