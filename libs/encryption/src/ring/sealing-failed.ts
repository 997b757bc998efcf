import { ApiError } from "@orch/status/api-error.js";

/** A write whose value cannot be sealed: the object stays what it was. */
export function sealingFailed(why: string): ApiError {
  return new ApiError("InternalError", `Internal error occurred: ${why}`, { details: { causes: [{ message: why }] } });
}
