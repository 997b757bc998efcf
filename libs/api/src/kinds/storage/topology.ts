import { equalJson } from "@orch/schema/equal.js";
import { qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "../shared/problems.js";

/** Where volumes of a class may be made: all of a term's labels hold. */
export interface TopologyTerm {
  readonly matchLabelExpressions?: readonly TopologyRequirement[];
}

interface TopologyRequirement {
  readonly key?: string;
  readonly values?: readonly string[];
}

/** Keys differ within a term, values within a requirement, terms among each other. */
export function validateTopologies(terms: readonly TopologyTerm[], at: string): FieldError[] {
  const meanings = terms.map(meaningOf);
  return terms.flatMap((term, i) => [
    ...validateTerm(term, `${at}[${i}].matchLabelExpressions`),
    ...meanings
      .slice(0, i)
      .filter((other) => equalJson(other, meanings[i]))
      .map(() => fieldError.duplicate(`${at}[${i}].matchLabelExpressions`, "")),
  ]);
}

/** What a term says whatever its order; the last of several requirements for one key counts. */
function meaningOf({ matchLabelExpressions = [] }: TopologyTerm): Readonly<Record<string, readonly string[]>> {
  const byKey = matchLabelExpressions.map(({ key = "", values = [] }) => [key, [...new Set(values)].sort()] as const);
  return Object.fromEntries(byKey);
}

function validateTerm({ matchLabelExpressions: requirements = [] }: TopologyTerm, at: string): FieldError[] {
  const keys = requirements.map(({ key = "" }) => key);
  return requirements.flatMap((requirement, i) => [
    ...validateRequirement(requirement, `${at}[${i}]`),
    ...(keys.indexOf(keys[i] ?? "") < i ? [fieldError.duplicate(`${at}[${i}].key`, keys[i])] : []),
  ]);
}

function validateRequirement({ key = "", values = [] }: TopologyRequirement, at: string): FieldError[] {
  return [
    ...(values.length === 0 ? [fieldError.required(`${at}.values`)] : []),
    ...values.flatMap((value, i) =>
      values.indexOf(value) < i ? [fieldError.duplicate(`${at}.values[${i}]`, value)] : [],
    ),
    ...invalidFor(`${at}.key`, key, qualifiedName(key)),
  ];
}
