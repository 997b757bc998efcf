/** One problem with one field of an object: a cause of a 422 Invalid (spec 1: Errors). */
export type CauseReason =
  | "FieldValueNotFound"
  | "FieldValueRequired"
  | "FieldValueDuplicate"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTypeInvalid"
  | "FieldManagerConflict"
  | "ResourceVersionTooLarge"
  | "NamespaceTerminating"
  | "DisruptionBudget"
  | "InternalError"
  | "UnexpectedServerResponse";

export interface Cause {
  readonly reason: CauseReason;
  /** Without the field's path: `Invalid value: 0: must be between 1 and 65535, inclusive`. */
  readonly message: string;
  /** `spec.ports[0].port`. */
  readonly field?: string;
}

export interface FieldError extends Cause {
  readonly field: string;
}

const maxShown = 10_000;

/** A value as error texts show it: strings quoted, everything else as JSON, cut where it is huge. */
export function showValue(value: unknown): string {
  const text = value === undefined ? "null" : (JSON.stringify(value) ?? "null");
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

function withDetail(head: string, detail: string): string {
  return detail === "" ? head : `${head}: ${detail}`;
}

export const fieldError = {
  required: (field: string, detail = ""): FieldError => ({
    reason: "FieldValueRequired",
    message: withDetail("Required value", detail),
    field,
  }),
  invalid: (field: string, value: unknown, detail: string): FieldError => ({
    reason: "FieldValueInvalid",
    message: withDetail(`Invalid value: ${showValue(value)}`, detail),
    field,
  }),
  notSupported: (field: string, value: unknown, supported: readonly string[]): FieldError => ({
    reason: "FieldValueNotSupported",
    message: withDetail(
      `Unsupported value: ${showValue(value)}`,
      supported.length === 0 ? "" : `supported values: ${supported.map((v) => JSON.stringify(v)).join(", ")}`,
    ),
    field,
  }),
  forbidden: (field: string, detail: string): FieldError => ({
    reason: "FieldValueForbidden",
    message: withDetail("Forbidden", detail),
    field,
  }),
  duplicate: (field: string, value: unknown): FieldError => ({
    reason: "FieldValueDuplicate",
    message: `Duplicate value: ${showValue(value)}`,
    field,
  }),
  tooLong: (field: string, maxBytes: number): FieldError => ({
    reason: "FieldValueTooLong",
    message: `Too long: may not be more than ${maxBytes} bytes`,
    field,
  }),
  tooMany: (field: string, actual: number, max: number): FieldError => ({
    reason: "FieldValueTooMany",
    message: `Too many: ${actual}: must have at most ${max} items`,
    field,
  }),
  typeInvalid: (field: string, value: unknown, detail: string): FieldError => ({
    reason: "FieldValueTypeInvalid",
    message: withDetail(`Invalid value: ${showValue(value)}`, detail),
    field,
  }),
} as const;
