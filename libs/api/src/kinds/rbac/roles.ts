import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import { validateLabelSelector } from "../shared/label-selector.js";
import { isBroken } from "../shared/pod-selection.js";
import { nothing } from "../shared/problems.js";
import type { ClusterRole, PolicyRule, Role } from "./types.js";

export const role = behavior<Role>(() => ({
  validate: ({ rules = [] }) => validateRules(rules, { namespaced: true }),
}));

export const clusterRole = behavior<ClusterRole>(() => ({
  validate: ({ rules = [], aggregationRule }) => [
    ...validateRules(rules, { namespaced: false }),
    ...(aggregationRule === undefined ? [] : validateAggregation(aggregationRule)),
  ],
}));

function validateAggregation({ clusterRoleSelectors: selectors = [] }: NonNullable<ClusterRole["aggregationRule"]>) {
  const at = "aggregationRule.clusterRoleSelectors";
  if (selectors.length === 0) {
    return [fieldError.required(at, "at least one clusterRoleSelector required if aggregationRule is non-nil")];
  }
  return selectors.flatMap((selector, i) => [
    ...validateLabelSelector(selector, `${at}[${i}]`),
    // The selector that could not be made of it is shown: none.
    ...(isBroken(selector) ? [fieldError.invalid(`${at}[${i}]`, nothing, "invalid label selector.")] : []),
  ]);
}

interface Scope {
  readonly namespaced: boolean;
}

function validateRules(rules: readonly PolicyRule[], scope: Scope): FieldError[] {
  return rules.flatMap((rule, i) => validateRule(rule, `rules[${i}]`, scope));
}

/** A rule is about resources or about paths, and paths belong to no namespace. */
function validateRule(rule: PolicyRule, at: string, { namespaced }: Scope): FieldError[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const errors: FieldError[] = [];
  if (verbs.length === 0) errors.push(fieldError.required(`${at}.verbs`, "verbs must contain at least one value"));
  if (nonResourceURLs.length > 0) {
    const wrong = (detail: string) => errors.push(fieldError.invalid(`${at}.nonResourceURLs`, nonResourceURLs, detail));
    if (namespaced) wrong("namespaced rules cannot apply to non-resource URLs");
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      wrong("rules cannot apply to both regular resources and non-resource URLs");
    }
    return errors;
  }
  if (apiGroups.length === 0) {
    errors.push(fieldError.required(`${at}.apiGroups`, "resource rules must supply at least one api group"));
  }
  if (resources.length === 0) {
    errors.push(fieldError.required(`${at}.resources`, "resource rules must supply at least one resource"));
  }
  return errors;
}
