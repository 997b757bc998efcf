import { dnsSubdomain, labelValue, qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "../shared/problems.js";

/** Which nodes: any of the terms. That there is a term is data. */
export interface NodeSelector {
  readonly nodeSelectorTerms?: readonly NodeSelectorTerm[];
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  readonly matchFields?: readonly NodeSelectorRequirement[];
}

export interface NodeSelectorRequirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

/** `values`: whether the values must be those of labels, which volumes of old did not have to. */
export function validateNodeSelector(
  { nodeSelectorTerms: terms = [] }: NodeSelector,
  at: string,
  options: { readonly values: boolean },
): FieldError[] {
  return terms.flatMap((term, i) => validateNodeSelectorTerm(term, `${at}.nodeSelectorTerms[${i}]`, options));
}

/** What is asked of a node, all of it together. */
export function validateNodeSelectorTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  at: string,
  options: { readonly values: boolean },
): FieldError[] {
  return [
    ...matchExpressions.flatMap((r, j) => validateExpression(r, `${at}.matchExpressions[${j}]`, options.values)),
    ...matchFields.flatMap((r, j) => validateFieldRequirement(r, `${at}.matchFields[${j}]`)),
  ];
}

function validateExpression(requirement: NodeSelectorRequirement, at: string, checkValues: boolean): FieldError[] {
  const { key = "", values = [] } = requirement;
  return [
    ...validateOperator(requirement, at),
    ...invalidFor(`${at}.key`, key, qualifiedName(key)),
    ...(checkValues ? values.flatMap((v, i) => invalidFor(`${at}.values[${i}]`, v, labelValue(v))) : []),
  ];
}

function validateOperator({ operator = "", values = [] }: NodeSelectorRequirement, at: string): FieldError[] {
  const required = (detail: string) => [fieldError.required(`${at}.values`, detail)];
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0 ? [] : required("must be specified when `operator` is 'In' or 'NotIn'");
    case "Exists":
    case "DoesNotExist":
      return values.length === 0
        ? []
        : [fieldError.forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case "Gt":
    case "Lt":
      return values.length === 1 ? [] : required("must be specified single value when `operator` is 'Lt' or 'Gt'");
    default:
      return [fieldError.invalid(`${at}.operator`, operator, "not a valid selector operator")];
  }
}

/** The one field that a node is chosen by is its name. */
function validateFieldRequirement(requirement: NodeSelectorRequirement, at: string): FieldError[] {
  const { key = "", operator = "", values = [] } = requirement;
  const known = operator === "In" || operator === "NotIn";
  return [
    ...(known ? [] : [fieldError.invalid(`${at}.operator`, operator, "not a valid selector operator")]),
    ...(known && values.length !== 1
      ? [
          fieldError.required(
            `${at}.values`,
            "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
          ),
        ]
      : []),
    ...(key === "metadata.name"
      ? values.flatMap((v, i) => invalidFor(`${at}.values[${i}]`, v, dnsSubdomain(v)))
      : [fieldError.invalid(`${at}.key`, key, "not a valid field selector key")]),
  ];
}
