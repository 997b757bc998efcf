import type { Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { invalid } from "@orch/status/api-error.js";
import type { FieldError } from "@orch/status/field-error.js";

/** @throws ApiError Invalid with every cause, where there is one */
export function refuseInvalid(kind: Kind, object: AnyObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: kind.group, kind: kind.kind }, object.metadata.name ?? "", errors);
}
