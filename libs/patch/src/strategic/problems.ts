import type { JsonObject } from "@orch/schema/descriptor.js";
import { type ApiError, badRequest } from "@orch/status/api-error.js";
import { patchDirective } from "./directives.js";
import { goText, goType } from "./go-text.js";

export const object = "map[string]interface {}";
export const list = "[]interface {}";

export function wrongType(expected: typeof object | typeof list, actual: unknown): ApiError {
  return badRequest(`expected a ${expected}, but received a ${goType(actual)}`);
}

export function missingMergeKey(item: JsonObject, mergeKey: string): ApiError {
  return badRequest(`map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
}

/** A `$patch` that is neither `replace` nor `delete`. */
export function unknownDirective(patch: JsonObject): ApiError {
  const directive = patch[patchDirective];
  const text = directive === null ? goType(null) : `%!s(${goType(directive)}=${goText(directive)})`;
  const shown = typeof directive === "string" ? directive : text;
  return badRequest(`unknown patch type: ${shown} in map: ${goText(patch)}`);
}
