import { type ApiError, badRequest } from "@orch/status/api-error.js";

/** The 400 for a body that is read but is no patch. `at`: where in it, if not the whole. */
export function malformedPatch(expected: string, value: unknown, at = ""): ApiError {
  const got = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
  return badRequest(`error decoding patch: ${at}expected ${expected}, got ${got}`);
}
