import { qualifiedName } from "@orch/schema/formats/names.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { invalidFor } from "../shared/problems.js";

export const oldestEmulationVersion = "OldestEmulationVersion";

/** How the holder of a lease is chosen: a name of the product's own, or one with a domain. The path is the reference's. */
export function validateLeaseStrategy(strategy: string, at: string): FieldError[] {
  if (strategy.includes("/")) return invalidFor(`${at}.strategy`, strategy, qualifiedName(strategy));
  return strategy === oldestEmulationVersion
    ? []
    : [fieldError.notSupported(`${at}.strategy`, strategy, [oldestEmulationVersion])];
}
