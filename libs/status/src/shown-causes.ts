import type { Cause, FieldError } from "./field-error.js";

/** A body of a megabyte can be wrong in a hundred thousand places; an answer need not name them all. */
const maxCauses = 1000;
/** Characters that the causes of one answer may take together; they stand in it twice. */
const maxTotal = 128 * 1024;
/** Characters of one path, and of what is wrong there. */
const maxField = 1024;
const maxMessage = 12 * 1024;

/** A text, cut where it is longer than an answer has room for. */
export function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

/** The causes of one answer. */
export interface ShownCauses<T extends Cause> {
  readonly causes: readonly T[];
  /** How many of them are left out. */
  readonly more: number;
}

/** As many of so many causes, from the first on, as one answer has room for, each with its texts cut. */
export function shownCauses(errors: Iterable<FieldError>, count: number): ShownCauses<FieldError> {
  const causes: FieldError[] = [];
  let room = maxTotal;
  for (const { reason, message, field } of errors) {
    const cause = { reason, message: shortened(message, maxMessage), field: shortened(field, maxField) };
    room -= cause.message.length + cause.field.length;
    if (room < 0 || causes.length === maxCauses) break;
    causes.push(cause);
  }
  return { causes, more: count - causes.length };
}
