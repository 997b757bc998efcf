import type { FieldError } from "@orch/status/field-error.js";
import type { MessageType } from "../descriptor.js";
import { type Path, pathText } from "../path.js";
import { checkEmbedded } from "./check-embedded.js";
import { checkLists } from "./check-lists.js";
import { checkValue } from "./check-value.js";

export interface ValidateOptions {
  /** Where the object stands; absent for a whole one. */
  readonly at?: Path | undefined;
  /** The state before, of an update. */
  readonly old?: unknown;
}

/**
 * Everything that keeps an object from being of its structural schema, in the reference's order: values, whole objects
 * inside, lists. Against an `old` state only what changes counts (ratcheting): a value that is as it was may be wrong, and
 * so may lists where one was wrong before.
 */
export function validateCustom(type: MessageType, object: unknown, { at, old }: ValidateOptions = {}): FieldError[] {
  const mayRepeat = old !== undefined && checkLists(type, old).length > 0;
  return [
    ...checkValue(type, object, { root: at === undefined ? "" : pathText(at), old }),
    ...checkEmbedded(type, object, at),
    ...(mayRepeat ? [] : checkLists(type, object, at)),
  ];
}
