import { dnsSubdomain } from "@orch/schema/formats/names.js";
import { errorsOfEach } from "@orch/status/errors-of-each.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "../../shared/problems.js";

/** Not empty; a text is the error's detail. */
export function requireText(at: string, value: string | undefined, detail = ""): FieldError[] {
  return (value ?? "") === "" ? [fieldError.required(at, detail)] : [];
}

export function subdomain(at: string, value: string): FieldError[] {
  return invalidFor(at, value, dnsSubdomain(value));
}

/** One of a closed set; an empty value is another check's business. */
export function oneOf(at: string, value: string | undefined, values: readonly string[]): FieldError[] {
  return value === undefined || values.includes(value) ? [] : [fieldError.notSupported(at, value, values)];
}

/** Each with its path: `containers[0]`. */
export function each<T>(
  list: readonly T[] | undefined,
  at: string,
  check: (item: T, at: string, i: number) => FieldError[],
) {
  return errorsOfEach(list, (item, i) => check(item, `${at}[${i}]`, i));
}
