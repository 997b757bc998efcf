import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { behavior } from "../../behavior.js";
import { conversion } from "../../conversion.js";
import { validateConditions } from "../shared/conditions.js";
import { validateCounts } from "../shared/counts.js";
import { validateIntOrPercent, validateNotAboveAll } from "../shared/int-or-percent.js";
import { isEmptySelector, type LabelSelector, validateLabelSelector } from "../shared/label-selector.js";
import { sameMeaning } from "../shared/same-meaning.js";
import type { PodDisruptionBudget } from "./types.js";

export const podDisruptionBudget = behavior<PodDisruptionBudget>(() => ({
  validate: ({ spec = {} }) => validateSpec(spec),
  // Older requests were never held to it.
  validateRequest: ({ status = {} }, old) =>
    old === undefined || sameMeaning(status, old.status)
      ? []
      : validateCounts(status, ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"], "status"),
  parts: {
    status: { validate: ({ status = {} }) => validateConditions(status.conditions ?? [], "status.conditions") },
  },
}));

function validateSpec(spec: NonNullable<PodDisruptionBudget["spec"]>): FieldError[] {
  const { minAvailable, maxUnavailable, selector } = spec;
  const both = minAvailable !== undefined && maxUnavailable !== undefined;
  return [
    ...(both ? [fieldError.invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set")] : []),
    ...(["minAvailable", "maxUnavailable"] as const).flatMap((name) => {
      const amount = spec[name];
      const at = `spec.${name}`;
      return amount === undefined ? [] : [...validateIntOrPercent(amount, at), ...validateNotAboveAll(amount, at)];
    }),
    ...validateLabelSelector(selector, "spec.selector"),
  ];
}

/**
 * An empty selector selects nothing in v1beta1 and everything in v1 (rules: Removed API versions by release, 1.25).
 * What one version says with it, the other says with a label that no pod has.
 *
 *     v1beta1 {}                      ↔  v1 that the label exists
 *     v1beta1 that it does not exist  ↔  v1 {}
 */
export const oldBudget = conversion<PodDisruptionBudget, PodDisruptionBudget>((naming) => {
  const key = `pdb.${naming.key("deprecated-v1beta1-empty-selector-match")}`;
  const nothing: LabelSelector = { matchExpressions: [{ key, operator: "Exists" }] };
  const everything: LabelSelector = { matchExpressions: [{ key, operator: "DoesNotExist" }] };
  const withoutKey = (selector: LabelSelector): LabelSelector => {
    const { matchExpressions = [], ...rest } = selector;
    const kept = matchExpressions.filter((r) => r.key !== key);
    if (kept.length === matchExpressions.length) return selector;
    return { ...rest, ...(kept.length === 0 ? {} : { matchExpressions: kept }) };
  };
  return {
    toHub: (object) =>
      withSelector(object, (selector) => {
        if (isEmptySelector(selector)) return nothing;
        return sameMeaning(selector, everything) ? {} : withoutKey(selector);
      }),
    fromHub: (object) =>
      withSelector(object, (selector) => {
        if (isEmptySelector(selector)) return everything;
        return sameMeaning(selector, nothing) ? {} : selector;
      }),
  };
});

function withSelector(
  object: PodDisruptionBudget,
  change: (selector: LabelSelector) => LabelSelector,
): PodDisruptionBudget {
  const selector = object.spec?.selector;
  return selector === undefined ? object : { ...object, spec: { ...object.spec, selector: change(selector) } };
}
