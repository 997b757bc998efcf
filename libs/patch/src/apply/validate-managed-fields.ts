import type { JsonObject } from "@orch/schema/descriptor.js";
import { readManagers } from "./managers.js";

/**
 * Why entries of managedFields can not be read; undefined where they can. What a client sends is not refused for it: it
 * is passed over ({@link trackUpdate}). For what changed an object behind it (admission): the entries from before are
 * put back, and the text becomes a warning.
 */
export function validateManagedFields(entries: readonly JsonObject[]): string | undefined {
  const read = readManagers(entries);
  return "wrong" in read ? read.wrong : undefined;
}
