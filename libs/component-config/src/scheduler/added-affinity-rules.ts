import { labelValue, qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { member, unless } from "../rules.js";
import type { ArgumentsOf, NodeSelectorTerm } from "./arguments.js";

type Requirement = NonNullable<NodeSelectorTerm["matchExpressions"]>[number];
type AddedAffinity = NonNullable<ArgumentsOf<"NodeAffinity">["addedAffinity"]>;

/**
 * What keeps terms of added affinity from being compiled to selectors; a pod's own are checked by the server, in other words.
 * A term that asks for nothing chooses no node, and is right; one without weight is not looked at.
 */
export function checkAddedAffinity(added: AddedAffinity, at: string): readonly FieldError[] {
  const { nodeSelectorTerms = [] } = added.requiredDuringSchedulingIgnoredDuringExecution ?? {};
  const preferred = added.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...nodeSelectorTerms.flatMap((term, i) =>
      checkTerm(term, `${at}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${i}]`),
    ),
    ...preferred.flatMap(({ weight, preference }, i) =>
      weight === 0 ? [] : checkTerm(preference, `${at}.preferredDuringSchedulingIgnoredDuringExecution[${i}]`),
    ),
  ];
}

const checkTerm = (
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  at: string,
): readonly FieldError[] => [
  ...matchExpressions.flatMap((each, i) => checkExpression(each, `${at}.matchExpressions[${i}]`)),
  ...matchFields.flatMap((each, i) => checkField(each, `${at}.matchFields[${i}]`)),
];

const operators = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"];
const operatorsOfFields = ["In", "NotIn"];
const integer = /^[+-]?[0-9]{1,32}$/;

function checkExpression({ key = "", operator = "", values = [] }: Requirement, at: string): readonly FieldError[] {
  if (!operators.includes(operator)) return member(`${at}.operator`, operator, operators);
  const problems = qualifiedName(key);
  return [
    ...unless(problems.length === 0, () => fieldError.invalid(`${at}.key`, key, problems.join("; "))),
    ...checkValues(operator, values, `${at}.values`),
    ...values.flatMap((value, i) => {
      const wrong = labelValue(value);
      return unless(wrong.length === 0, () =>
        fieldError.invalid(`${at}.values[${i}][${key}]`, value, wrong.join("; ")),
      );
    }),
  ];
}

function checkValues(operator: string, values: readonly string[], at: string): readonly FieldError[] {
  const invalid = (says: string) => [fieldError.invalid(at, values, says)];
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0 ? [] : invalid("for 'in', 'notin' operators, values set can't be empty");
    case "Gt":
    case "Lt":
      if (values.length !== 1) return invalid("for 'Gt', 'Lt' operators, exactly one value is required");
      return values.flatMap((value, i) =>
        unless(integer.test(value), () =>
          fieldError.invalid(`${at}[${i}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer"),
        ),
      );
    default:
      return values.length === 0 ? [] : invalid("values set must be empty for exists and does not exist");
  }
}

function checkField({ operator = "", values = [] }: Requirement, at: string): readonly FieldError[] {
  if (!operatorsOfFields.includes(operator)) return member(`${at}.operator`, operator, operatorsOfFields);
  return unless(values.length === 1, () => fieldError.invalid(`${at}.values`, values, "must have one element"));
}
