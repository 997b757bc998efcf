import { type FieldTerm, parseFieldTerms } from "@orch/api/selectors/fields.js";
import { parseLabelSelector, type Requirement, SelectorError } from "@orch/api/selectors/labels.js";

/**
 * The terms of a request's selectors, as far as authorizers look at them. A text that cannot be read has none: selectors
 * only narrow what is asked for, and the request itself fails of it later.
 */
export function fieldTerms(text: string | undefined): readonly FieldTerm[] {
  return text === undefined ? [] : readable(() => parseFieldTerms(text));
}

export function labelRequirements(text: string | undefined): readonly Requirement[] {
  return text === undefined ? [] : readable(() => parseLabelSelector(text).requirements);
}

function readable<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof SelectorError) return [];
    throw error;
  }
}
