import { checkedOptions, type WriteOptions } from "@orch/render/write-options.js";
import { badRequest } from "@orch/status/api-error.js";
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
  const force = forced !== undefined && forced !== "0" && forced.toLowerCase() !== "false";
  return { ...checkedOptions(options, { metaGroup, kind: "PatchOptions" }, errors), force };
}

/** A whole number of a query parameter; undefined when absent. */
export function wholeNumber(options: Readonly<Record<string, string>>, name: string): number | undefined {
  const text = options[name];
  if (text === undefined || text === "") return undefined;
  if (!/^[+-]?\d{1,15}$/.test(text)) throw badRequest(`${name}: parsing ${JSON.stringify(text)}: not a whole number`);
  return Number(text);
}
