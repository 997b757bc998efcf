import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { draftOf, write, written } from "../draft.js";
import { patchDirective } from "./directives.js";

/**
 * A value of a patch that comes to stand where there was none: without the objects that carry a `$patch`, undefined
 * where it is one itself, and without the nulls of its objects unless they are kept.
 */
export function cleaned(value: unknown, options: { readonly keepsNulls: boolean }): unknown {
  if (Array.isArray(value)) return cleanedList(value, options);
  return isObject(value) ? cleanedObject(value, options) : value;
}

export function cleanedList(items: readonly unknown[], options: { readonly keepsNulls: boolean }): readonly unknown[] {
  const kept = items.map((item) => cleaned(item, options)).filter((item) => item !== undefined);
  return kept.length === items.length && kept.every((item, i) => item === items[i]) ? items : kept;
}

function cleanedObject(object: JsonObject, options: { readonly keepsNulls: boolean }): JsonObject | undefined {
  const directive = Object.hasOwn(object, patchDirective) ? object[patchDirective] : undefined;
  if (directive !== undefined && (directive !== null || options.keepsNulls)) return undefined;
  const draft = draftOf(object);
  for (const name of Object.keys(object)) {
    const value = object[name];
    write(draft, name, value === null && !options.keepsNulls ? undefined : cleaned(value, options));
  }
  return written(draft);
}
