import { dnsLabel, qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { validateLabelSelector } from "../../shared/label-selector.js";
import { invalidFor } from "../../shared/problems.js";
import { validateNodeSelector, validateNodeSelectorTerm } from "../node-selector.js";
import type { Affinity, NodeAffinity, PodAffinity, PodAffinityTerm } from "./affinity-types.js";
import { each } from "./errors.js";

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

/** Values of labels need not be well formed: what matches nothing is no mistake. */
const free = { values: false };

export function validateAffinity(affinity: Affinity | undefined, at: string): FieldError[] {
  if (affinity === undefined) return [];
  return [
    ...validateNodeAffinity(affinity.nodeAffinity, `${at}.nodeAffinity`),
    ...validatePodAffinity(affinity.podAffinity, `${at}.podAffinity`),
    ...validatePodAffinity(affinity.podAntiAffinity, `${at}.podAntiAffinity`),
  ];
}

function validateNodeAffinity(affinity: NodeAffinity | undefined, at: string): FieldError[] {
  return [
    ...validateNodeSelector(affinity?.[required] ?? {}, `${at}.${required}`, free),
    ...each(affinity?.[preferred], `${at}.${preferred}`, ({ weight, preference }, place) => [
      ...validateWeight(weight, place),
      ...validateNodeSelectorTerm(preference ?? {}, `${place}.preference`, free),
    ]),
  ];
}

function validateWeight(weight: number | undefined, at: string): FieldError[] {
  const value = weight ?? 0;
  return value >= 1 && value <= 100 ? [] : [fieldError.invalid(`${at}.weight`, value, "must be in the range 1-100")];
}

function validatePodAffinity(affinity: PodAffinity | undefined, at: string): FieldError[] {
  return [
    ...each(affinity?.[required], `${at}.${required}`, validatePodTerm),
    ...each(affinity?.[preferred], `${at}.${preferred}`, ({ weight, podAffinityTerm }, place) => [
      ...validateWeight(weight, place),
      ...validatePodTerm(podAffinityTerm ?? {}, `${place}.podAffinityTerm`),
    ]),
  ];
}

function validatePodTerm(term: PodAffinityTerm, at: string): FieldError[] {
  const { matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  const matched = new Set(matchLabelKeys);
  return [
    ...validateLabelSelector(term.labelSelector, `${at}.labelSelector`),
    ...validateLabelSelector(term.namespaceSelector, `${at}.namespaceSelector`),
    // Without the position, as in the reference.
    ...(term.namespaces ?? []).flatMap((name) => invalidFor(`${at}.namespace`, name, dnsLabel(name))),
    ...validateLabelKeys(matchLabelKeys, term, `${at}.matchLabelKeys`),
    ...validateLabelKeys(mismatchLabelKeys, term, `${at}.mismatchLabelKeys`),
    ...each(mismatchLabelKeys, `${at}.mismatchLabelKeys`, (key, place) =>
      matched.has(key) ? [fieldError.invalid(place, key, "exists in both matchLabelKeys and mismatchLabelKeys")] : [],
    ),
    ...validateTopologyKey(term.topologyKey, `${at}.topologyKey`),
  ];
}

function validateLabelKeys(keys: readonly string[], { labelSelector }: PodAffinityTerm, at: string): FieldError[] {
  if (keys.length === 0) return [];
  if (labelSelector === undefined) {
    return [fieldError.forbidden(at, "must not be specified when labelSelector is not set")];
  }
  return each(keys, at, (key, place) => invalidFor(place, key, qualifiedName(key)));
}

/** The label of nodes that tells places apart. */
export function validateTopologyKey(key: string | undefined, at: string): FieldError[] {
  const text = key ?? "";
  return [
    ...(text === "" ? [fieldError.required(at, "can not be empty")] : []),
    ...invalidFor(at, text, qualifiedName(text)),
  ];
}
