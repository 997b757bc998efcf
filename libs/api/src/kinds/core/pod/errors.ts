import { dnsLabel, dnsSubdomain, type Problems } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError, showValue } from "@orch/status/field-error.js";

/** One error for each problem of a value. */
export function invalidEach(at: string, value: unknown, problems: Problems): FieldError[] {
  return problems.map((problem) => fieldError.invalid(at, value, problem));
}

export function notFound(at: string, value: string, detail = ""): FieldError {
  const tail = detail === "" ? "" : `: ${detail}`;
  return { reason: "FieldValueNotFound", message: `Not found: ${showValue(value)}${tail}`, field: at };
}

/** Not empty; a text is the error's detail. */
export function requireText(at: string, value: string | undefined, detail = ""): FieldError[] {
  return (value ?? "") === "" ? [fieldError.required(at, detail)] : [];
}

/** A name that may be left out: what is there is a label. */
export function optionalLabel(at: string, value: string | undefined): FieldError[] {
  return (value ?? "") === "" ? [] : invalidEach(at, value, dnsLabel(value ?? ""));
}

export function subdomain(at: string, value: string): FieldError[] {
  return invalidEach(at, value, dnsSubdomain(value));
}

/** One of a closed set; an empty value is another check's business. */
export function oneOf(at: string, value: string | undefined, values: readonly string[]): FieldError[] {
  return value === undefined || values.includes(value) ? [] : [fieldError.notSupported(at, value, values)];
}

/** Each with its path: `containers[0]`. */
export function each<T>(list: readonly T[] | undefined, at: string, check: (item: T, at: string) => FieldError[]) {
  return (list ?? []).flatMap((item, i) => check(item, `${at}[${i}]`));
}
