import type { AnyObject } from "@orch/api/object.js";
import { type ApiError, forbidden } from "@orch/status/api-error.js";
import { resourceOf, type Write } from "../write/write.js";

/** What a plugin answers to a write that it does not let through. */
export function refused({ kind }: Write, { metadata }: AnyObject, why: string): ApiError {
  return forbidden(resourceOf(kind), metadata.name ?? metadata.generateName ?? "Unknown", why);
}
