import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { countOf, parseIndexes } from "./indexes.js";
import type { SuccessPolicy, SuccessRule } from "./types.js";

const maxRules = 20;
const maxIndexesBytes = 65_536;

/** When an indexed Job has succeeded before all its indexes have. */
export function validateSuccessPolicy({ rules = [] }: SuccessPolicy, completions: number, at: string): FieldError[] {
  const place = `${at}.rules`;
  if (rules.length === 0) {
    return [fieldError.required(place, "at least one rules must be specified when the successPolicy is specified")];
  }
  return [
    ...(rules.length > maxRules ? [fieldError.tooMany(place, rules.length, maxRules)] : []),
    ...rules.flatMap((rule, i) => validateRule(rule, completions, `${place}[${i}]`)),
  ];
}

function validateRule(
  { succeededIndexes, succeededCount }: SuccessRule,
  completions: number,
  at: string,
): FieldError[] {
  if (succeededIndexes === undefined && succeededCount === undefined) {
    return [fieldError.required(at, "at least one of succeededCount or succeededIndexes must be specified")];
  }
  const indexes = succeededIndexes === undefined ? undefined : parseIndexes(succeededIndexes, completions);
  return [
    ...(succeededIndexes !== undefined && Buffer.byteLength(succeededIndexes) > maxIndexesBytes
      ? [fieldError.tooLong(`${at}.succeededIndexes`, maxIndexesBytes)]
      : []),
    ...(typeof indexes === "string"
      ? [fieldError.invalid(`${at}.succeededIndexes`, succeededIndexes, `error parsing succeededIndexes: ${indexes}`)]
      : []),
    ...(succeededCount === undefined
      ? []
      : validateCount(succeededCount, `${at}.succeededCount`, {
          completions,
          indexes: indexes === undefined ? undefined : typeof indexes === "string" ? 0 : countOf(indexes),
        })),
  ];
}

function validateCount(
  count: number,
  at: string,
  { completions, indexes }: { readonly completions: number; readonly indexes: number | undefined },
): FieldError[] {
  const atMost = (max: number, what: string): FieldError[] =>
    count > max ? [fieldError.invalid(at, count, `must be less than or equal to ${max} (the number of ${what})`)] : [];
  return [
    ...(count < 0 ? [fieldError.invalid(at, count, "must be greater than or equal to 0")] : []),
    ...atMost(completions, "specified completions"),
    ...(indexes === undefined ? [] : atMost(indexes, "indexes in the specified succeededIndexes field")),
  ];
}
