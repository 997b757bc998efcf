import { qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "../shared/problems.js";
import { repeatsIn } from "../shared/repeats.js";

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
  const repeats = repeatsIn(terms.map(meaningOf));
  return terms.flatMap((term, i) => [
    ...validateTerm(term, `${at}[${i}].matchLabelExpressions`),
    // A term that says nothing equals the one before the first.
    ...(repeats.has(i) || (term.matchLabelExpressions ?? []).length === 0
      ? [fieldError.duplicate(`${at}[${i}].matchLabelExpressions`, "")]
      : []),
  ]);
}

/** What a term says whatever its order; the last of several requirements for one key counts. */
function meaningOf({ matchLabelExpressions = [] }: TopologyTerm): string {
  const byKey = new Map(matchLabelExpressions.map(({ key = "", values = [] }) => [key, [...new Set(values)].sort()]));
  return JSON.stringify([...byKey].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function validateTerm({ matchLabelExpressions: requirements = [] }: TopologyTerm, at: string): FieldError[] {
  const repeats = repeatsIn(requirements.map(({ key = "" }) => key));
  return requirements.flatMap((requirement, i) => [
    ...validateRequirement(requirement, `${at}[${i}]`),
    ...(repeats.has(i) ? [fieldError.duplicate(`${at}[${i}].key`, requirement.key ?? "")] : []),
  ]);
}

function validateRequirement({ key = "", values = [] }: TopologyRequirement, at: string): FieldError[] {
  return [
    ...(values.length === 0 ? [fieldError.required(`${at}.values`)] : []),
    ...[...repeatsIn(values)].map((i) => fieldError.duplicate(`${at}.values[${i}]`, values[i])),
    ...invalidFor(`${at}.key`, key, qualifiedName(key)),
  ];
}
