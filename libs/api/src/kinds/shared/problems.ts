import { type FieldError, fieldError, showValue } from "@orch/status/field-error.js";

/** What is wrong with a value, told at its path: `dnsLabel(name)` → one error for each sentence. */
export function invalidFor(at: string, value: unknown, problems: readonly string[]): FieldError[] {
  return problems.map((problem) => fieldError.invalid(at, value, problem));
}

export const immutable = "field is immutable";

/** A name that names nothing. */
export function notFound(at: string, value: string, detail = ""): FieldError {
  const tail = detail === "" ? "" : `: ${detail}`;
  return { reason: "FieldValueNotFound", message: `Not found: ${showValue(value)}${tail}`, field: at };
}
