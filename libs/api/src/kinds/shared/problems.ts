import { type FieldError, fieldError } from "@orch/status/field-error.js";

/** What is wrong with a value, told at its path: `dnsLabel(name)` → one error for each sentence. */
export function invalidFor(at: string, value: unknown, problems: readonly string[]): FieldError[] {
  return problems.map((problem) => fieldError.invalid(at, value, problem));
}

export const immutable = "field is immutable";
