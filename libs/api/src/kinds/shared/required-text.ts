import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "./problems.js";

/** `Required value` where the text is missing, else what its format says. */
export function requiredText(
  at: string,
  text: string | undefined,
  format: (text: string) => readonly string[],
): FieldError[] {
  return text === undefined || text === "" ? [fieldError.required(at)] : invalidFor(at, text, format(text));
}
