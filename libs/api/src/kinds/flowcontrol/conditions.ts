import { type FieldError, fieldError } from "@orch/status/field-error.js";
import { repeatsIn } from "../shared/repeats.js";

/** Of the statuses of this group: each type once. */
export function validateConditions(conditions: readonly { readonly type?: string }[] = []): FieldError[] {
  const types = conditions.map((c) => c.type ?? "");
  const repeats = repeatsIn(types);
  return types.flatMap((type, i) => {
    const at = `status.conditions[${i}].type`;
    return [
      ...(repeats.has(i) ? [fieldError.duplicate(at, type)] : []),
      ...(type === "" ? [fieldError.required(at, "must not be empty")] : []),
    ];
  });
}
