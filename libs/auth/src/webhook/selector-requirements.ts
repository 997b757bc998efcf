import type { Requirement } from "@orch/api/selectors/labels.js";
import type { ResourceAttributes } from "../authorizer.js";
import { fieldTerms, labelRequirements } from "../selector-terms.js";

interface Requirements {
  readonly requirements: readonly object[];
}

/** The selectors of a request as the review has them; what is empty or cannot be read is absent. */
export function selectorRequirements(attributes: ResourceAttributes): {
  readonly fieldSelector?: Requirements;
  readonly labelSelector?: Requirements;
} {
  const fields = fieldTerms(attributes.fieldSelector).map(({ field, operator, value }) => ({
    key: field,
    operator: operator === "=" ? "In" : "NotIn",
    values: [value],
  }));
  const labels = labelRequirements(attributes.labelSelector).flatMap(labelRequirement);
  return {
    ...(fields.length === 0 ? {} : { fieldSelector: { requirements: fields } }),
    ...(labels.length === 0 ? {} : { labelSelector: { requirements: labels } }),
  };
}

/** Comparisons of numbers have no word in the interface; without them the question is wider than the request, never narrower. */
function labelRequirement({ key, operator, values }: Requirement): readonly object[] {
  switch (operator) {
    case "=":
    case "==":
    case "in":
      return [{ key, operator: "In", values }];
    case "!=":
    case "notin":
      return [{ key, operator: "NotIn", values }];
    case "exists":
      return [{ key, operator: "Exists" }];
    case "!":
      return [{ key, operator: "DoesNotExist" }];
    case "gt":
    case "lt":
      return [];
  }
}
