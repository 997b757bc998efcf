import { isTrue } from "@orch/api/query-values.js";
import { checkedOptions, type WriteOptions } from "@orch/render/write-options.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";

export interface PatchOptions extends WriteOptions {
  /** An apply takes over the fields of others that it conflicts with. */
  readonly force: boolean;
}

/** @throws ApiError Invalid */
export function patchOptions(
  options: Readonly<Record<string, string>>,
  { metaGroup, apply }: { readonly metaGroup: string; readonly apply: boolean },
): PatchOptions {
  const forced = options["force"];
  const errors: FieldError[] = [];
  if (apply && (options["fieldManager"] ?? "") === "") {
    errors.push(fieldError.required("fieldManager", "is required for apply patch"));
  }
  if (!apply && forced !== undefined) {
    errors.push(fieldError.forbidden("force", "may not be specified for non-apply patch"));
  }
  return { ...checkedOptions(options, { metaGroup, kind: "PatchOptions" }, errors), force: isTrue(forced) };
}
