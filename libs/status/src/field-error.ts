import { showValue } from "./show-value.js";

/** One problem with one field of an object: a cause of a 422 Invalid (rules: Errors). */
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
  /** Absent where who has decided gives none: an admission policy. */
  readonly reason?: CauseReason;
  /** Without the field's path: `Invalid value: 0: must be between 1 and 65535, inclusive`. */
  readonly message: string;
  /** `spec.ports[0].port`. */
  readonly field?: string;
}

export interface FieldError extends Cause {
  readonly reason: CauseReason;
  readonly field: string;
}

function withDetail(head: string, detail: string): string {
  return detail === "" ? head : `${head}: ${detail}`;
}

const longText = 100;
const maxSupported = 100;

/**
 * An error that shows a value. The text of a large one is made when somebody reads it: a list that is shown with each
 * of its items would fill the memory, and an answer has room for few of them.
 */
function showing(reason: CauseReason, field: string, value: unknown, text: (shown: string) => string): FieldError {
  if (isSmall(value)) return { reason, message: text(showValue(value)), field };
  return {
    reason,
    get message() {
      return text(showValue(value));
    },
    field,
  };
}

function isSmall(value: unknown): boolean {
  return typeof value === "string" ? value.length <= longText : typeof value !== "object" || value === null;
}

export const fieldError = {
  required: (field: string, detail = ""): FieldError => ({
    reason: "FieldValueRequired",
    message: withDetail("Required value", detail),
    field,
  }),
  invalid: (field: string, value: unknown, detail: string): FieldError =>
    showing("FieldValueInvalid", field, value, (shown) => withDetail(`Invalid value: ${shown}`, detail)),
  notSupported: (field: string, value: unknown, supported: readonly string[]): FieldError => ({
    reason: "FieldValueNotSupported",
    // What is supported may be the client's list, too.
    get message() {
      const values = supported.slice(0, maxSupported).map((v) => JSON.stringify(v));
      if (supported.length > maxSupported) values.push("…");
      const detail = values.length === 0 ? "" : `supported values: ${values.join(", ")}`;
      return withDetail(`Unsupported value: ${showValue(value)}`, detail);
    },
    field,
  }),
  forbidden: (field: string, detail: string): FieldError => ({
    reason: "FieldValueForbidden",
    message: withDetail("Forbidden", detail),
    field,
  }),
  duplicate: (field: string, value: unknown): FieldError =>
    showing("FieldValueDuplicate", field, value, (shown) => `Duplicate value: ${shown}`),
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
  typeInvalid: (field: string, value: unknown, detail: string): FieldError =>
    showing("FieldValueTypeInvalid", field, value, (shown) => withDetail(`Invalid value: ${shown}`, detail)),
} as const;
