import { dnsLabel, dnsSubdomain, qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { validateLabelSelector } from "../../shared/label-selector.js";
import type {
  Affinity,
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from "./affinity-types.js";
import { each, invalidEach } from "./errors.js";

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

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
    ...validateNodeSelector(affinity?.[required], `${at}.${required}`),
    ...each(affinity?.[preferred], `${at}.${preferred}`, ({ weight, preference }, place) => [
      ...validateWeight(weight, place),
      ...validateNodeTerm(preference ?? {}, `${place}.preference`),
    ]),
  ];
}

function validateWeight(weight: number | undefined, at: string): FieldError[] {
  const value = weight ?? 0;
  return value >= 1 && value <= 100 ? [] : [fieldError.invalid(`${at}.weight`, value, "must be in the range 1-100")];
}

/** A choice of nodes, of a pod's affinity or of a volume's; that it has a term is told by the checks of its type. */
export function validateNodeSelector(selector: NodeSelector | undefined, at: string): FieldError[] {
  return each(selector?.nodeSelectorTerms, `${at}.nodeSelectorTerms`, validateNodeTerm);
}

function validateNodeTerm({ matchExpressions, matchFields }: NodeSelectorTerm, at: string): FieldError[] {
  return [
    ...each(matchExpressions, `${at}.matchExpressions`, validateExpression),
    ...each(matchFields, `${at}.matchFields`, validateFieldTerm),
  ];
}

function validateExpression({ key = "", operator = "", values = [] }: NodeSelectorRequirement, at: string) {
  return [...validateOperator(operator, values.length, at), ...invalidEach(`${at}.key`, key, qualifiedName(key))];
}

function validateOperator(operator: string, count: number, at: string): FieldError[] {
  const place = `${at}.values`;
  switch (operator) {
    case "In":
    case "NotIn":
      return count > 0 ? [] : [fieldError.required(place, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      return count === 0
        ? []
        : [fieldError.forbidden(place, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case "Gt":
    case "Lt":
      return count === 1
        ? []
        : [fieldError.required(place, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [fieldError.invalid(`${at}.operator`, operator, "not a valid selector operator")];
  }
}

/** Of a node's fields only its name can be asked for. */
function validateFieldTerm(
  { key = "", operator = "", values = [] }: NodeSelectorRequirement,
  at: string,
): FieldError[] {
  const known = operator === "In" || operator === "NotIn";
  const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
  return [
    ...(known && values.length !== 1 ? [fieldError.required(`${at}.values`, detail)] : []),
    ...(known ? [] : [fieldError.invalid(`${at}.operator`, operator, "not a valid selector operator")]),
    ...(key === "metadata.name"
      ? each(values, `${at}.values`, (value, place) => invalidEach(place, value, dnsSubdomain(value)))
      : [fieldError.invalid(`${at}.key`, key, "not a valid field selector key")]),
  ];
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
  return [
    ...validateLabelSelector(term.labelSelector, `${at}.labelSelector`),
    ...validateLabelSelector(term.namespaceSelector, `${at}.namespaceSelector`),
    // Without the position, as in the reference.
    ...(term.namespaces ?? []).flatMap((name) => invalidEach(`${at}.namespace`, name, dnsLabel(name))),
    ...validateLabelKeys(matchLabelKeys, term, `${at}.matchLabelKeys`),
    ...validateLabelKeys(mismatchLabelKeys, term, `${at}.mismatchLabelKeys`),
    ...each(mismatchLabelKeys, `${at}.mismatchLabelKeys`, (key, place) =>
      matchLabelKeys.includes(key)
        ? [fieldError.invalid(place, key, "exists in both matchLabelKeys and mismatchLabelKeys")]
        : [],
    ),
    ...validateTopologyKey(term.topologyKey, `${at}.topologyKey`),
  ];
}

function validateLabelKeys(keys: readonly string[], { labelSelector }: PodAffinityTerm, at: string): FieldError[] {
  if (keys.length === 0) return [];
  if (labelSelector === undefined) {
    return [fieldError.forbidden(at, "must not be specified when labelSelector is not set")];
  }
  return each(keys, at, (key, place) => invalidEach(place, key, qualifiedName(key)));
}

/** The label of nodes that tells places apart. */
export function validateTopologyKey(key: string | undefined, at: string): FieldError[] {
  const text = key ?? "";
  return [
    ...(text === "" ? [fieldError.required(at, "can not be empty")] : []),
    ...invalidEach(at, text, qualifiedName(text)),
  ];
}
