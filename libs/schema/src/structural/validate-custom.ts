import type { FieldError } from "@orch/status/field-error.js";
import type { Type } from "../descriptor.js";
import { type Path, pathText } from "../path.js";
import { checkEmbedded } from "./check-embedded.js";
import { checkLists } from "./check-lists.js";
import { checkValue } from "./check-value.js";

export interface ValidateOptions {
  /** Where the value stands; absent for a whole object. */
  readonly at?: Path | undefined;
  /** The state before, of an update. */
  readonly old?: unknown;
}

/**
 * Everything that keeps a value (an object, or a part of one) from being of its structural schema, in the reference's order: values, whole objects
 * inside, lists. Against an `old` state only what changes counts (ratcheting): a value that is as it was may be wrong, and
 * so may lists where one was wrong before.
 */
export function validateCustom(type: Type, value: unknown, { at, old }: ValidateOptions = {}): FieldError[] {
  const lists = checkLists(type, value, at);
  const repeated = lists.length > 0 && old !== undefined && checkLists(type, old).length > 0;
  return [
    ...checkValue(type, value, { root: at === undefined ? "" : pathText(at), old }),
    ...checkEmbedded(type, value, at),
    ...(repeated ? [] : lists),
  ];
}
