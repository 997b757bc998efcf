import type { FieldError } from "@orch/status/field-error.js";
import type { MessageType } from "../descriptor.js";
import { type Path, pathText } from "../path.js";
import { checkEmbedded } from "./check-embedded.js";
import { checkLists } from "./check-lists.js";
import { checkValue } from "./check-value.js";

/**
 * Everything that keeps an object from being of its structural schema, in the reference's order: values, whole objects
 * inside, lists. Against an `old` state only what changes counts (ratcheting): a value that is as it was may be wrong, and
 * so may lists where one was wrong before.
 */
export function validateCustom(
  type: MessageType,
  object: unknown,
  { at, old }: { readonly at?: Path | undefined; readonly old?: unknown } = {},
): FieldError[] {
  const mayRepeat = old !== undefined && checkLists(type, old).length > 0;
  return [
    ...checkValue(type, object, { root: at === undefined ? "" : pathText(at), old }),
    ...checkEmbedded(type, object, at),
    ...(mayRepeat ? [] : checkLists(type, object, at)),
  ];
}
