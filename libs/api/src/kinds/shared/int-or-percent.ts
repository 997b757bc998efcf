import { percent } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";

/** `3` or `25%`. */
export type IntOrPercent = number | string;

/** A number that is not negative, or a percentage. */
export function validateIntOrPercent(value: IntOrPercent, at: string): FieldError[] {
  if (typeof value === "string") return percent(value).map((problem) => fieldError.invalid(at, value, problem));
  return value < 0 ? [fieldError.invalid(at, value, "must be greater than or equal to 0")] : [];
}

/** Of percentages: not more than all. */
export function validateNotAboveAll(value: IntOrPercent, at: string): FieldError[] {
  const tooMuch = typeof value === "string" && percent(value).length === 0 && amountOf(value) > 100;
  return tooMuch ? [fieldError.invalid(at, value, "must not be greater than 100%")] : [];
}

/** The number, with or without its percent sign; 0 for a text that has none. */
export function amountOf(value: IntOrPercent): number {
  if (typeof value === "number") return value;
  const [, percentage, number] = /^(?:([0-9]+)%|([+-]?[0-9]+))$/.exec(value) ?? [];
  return Number(percentage ?? number ?? 0);
}
