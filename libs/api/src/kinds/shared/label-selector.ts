import { labelValue, qualifiedName } from "@orch/schema/formats/names.js";
import { validateLabels } from "@orch/schema/object-meta.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import {
  compileRequirements,
  formatLabelSelector,
  type Labels,
  type LabelSelector as Matcher,
  type Requirement,
} from "../../selectors/labels.js";

/** The selector that stands in objects (`spec.selector`), not the text of a request's parameter. */
export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  readonly key?: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`; what else a client may write is refused by {@link validateLabelSelector}. */
  readonly operator?: string;
  readonly values?: readonly string[];
}

/** Everything wrong with a selector at the path `at`; an absent one has no errors. */
export function validateLabelSelector(selector: LabelSelector | undefined, at: string): FieldError[] {
  if (selector === undefined) return [];
  return [
    ...validateLabels(selector.matchLabels, `${at}.matchLabels`),
    ...(selector.matchExpressions ?? []).flatMap((r, i) => validateRequirement(r, `${at}.matchExpressions[${i}]`)),
  ];
}

function validateRequirement(
  { key = "", operator = "", values = [] }: LabelSelectorRequirement,
  at: string,
): FieldError[] {
  return [
    ...validateOperator(operator, values, at),
    ...qualifiedName(key).map((problem) => fieldError.invalid(`${at}.key`, key, problem)),
    ...values.flatMap((value, i) =>
      labelValue(value).map((problem) => fieldError.invalid(`${at}.values[${i}]`, value, problem)),
    ),
  ];
}

function validateOperator(operator: string, values: readonly string[], at: string): FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0
        ? []
        : [fieldError.required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      return values.length === 0
        ? []
        : [fieldError.forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [fieldError.invalid(`${at}.operator`, operator, "not a valid selector operator")];
  }
}

/** An empty selector matches everything, an absent one and one that is not valid nothing. */
export function selectorMatches(selector: LabelSelector | undefined, labels: Labels | undefined): boolean {
  return compileSelector(selector)?.matches(labels) ?? false;
}

/** As the `labelSelector` parameter has it: `app=web,tier in (a,b)`; `""` for an empty, absent or invalid selector. */
export function selectorText(selector: LabelSelector | undefined): string {
  const matcher = compileSelector(selector);
  return matcher === undefined ? "" : formatLabelSelector(matcher);
}

/** No requirement at all: it matches everything. */
export function isEmptySelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

const operators: ReadonlyMap<string, Requirement["operator"]> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

/** For many matches against one selector; undefined where it is absent or not valid. */
export function compileSelector(selector: LabelSelector | undefined): Matcher | undefined {
  if (selector === undefined || validateLabelSelector(selector, "").length > 0) return undefined;
  const exact = Object.entries(selector.matchLabels ?? {}).map(
    ([key, value]): Requirement => ({ key, operator: "=", values: [value] }),
  );
  const others = (selector.matchExpressions ?? []).flatMap(({ key = "", operator = "", values = [] }) => {
    const compiled = operators.get(operator);
    return compiled === undefined ? [] : [{ key, operator: compiled, values: [...new Set(values)].sort() }];
  });
  return compileRequirements([...exact, ...others]);
}
