import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { showValue } from "@orch/status/show-value.js";

/** What is wrong with a value, told at its path: `dnsLabel(name)` → one error for each sentence. */
export function invalidFor(at: string, value: unknown, problems: readonly string[]): FieldError[] {
  return problems.map((problem) => fieldError.invalid(at, value, problem));
}

/** A wrong value that is not shown: it is large, or several fields together. */
export function wrong(field: string, detail: string): FieldError {
  return { reason: "FieldValueInvalid", message: `Invalid value: ${detail}`, field };
}

/** What the reference shows of a pointer to nothing: a text. */
export const nothing = "null";

export const immutable = "field is immutable";

/** A name that names nothing. */
export function notFound(at: string, value: string, detail = ""): FieldError {
  const tail = detail === "" ? "" : `: ${detail}`;
  return { reason: "FieldValueNotFound", message: `Not found: ${showValue(value)}${tail}`, field: at };
}
