import { ApiError } from "@orch/status/api-error.js";
import { applyJsonPatch, readJsonPatch, whyRejected } from "./json-patch.js";

export type Patched =
  | { readonly ok: true; readonly document: unknown }
  | { readonly ok: false; readonly error: string };

/**
 * A document with the operations that a mutating policy made carried out in order. Where a test fails it is left as it
 * was: that is how a policy asks.
 */
export function applyPolicyPatch(document: unknown, operations: readonly object[]): Patched {
  let patched = document;
  for (const operation of operations) {
    try {
      patched = applyJsonPatch(patched, readJsonPatch([operation]));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (Reflect.get(operation, "op") === "test") return { ok: true, document };
      return { ok: false, error: `JSON Patch: ${whyRejected(error)}` };
    }
  }
  return { ok: true, document: patched };
}
