import { type ApiError, badRequest, invalid } from "@orch/status/api-error.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";

/** The version a read must show (rules: Resource version semantics). */
export type Freshness =
  | { readonly type: "mostRecent" }
  | { readonly type: "any" }
  | { readonly type: "notOlderThan"; readonly revision: number }
  | { readonly type: "exact"; readonly revision: number };

/** Where a list begins; `continue` means where its token says. */
export type ListStart = Freshness | { readonly type: "continue" };

export interface ListOptions {
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly limit: number;
  readonly continueToken: string;
  readonly sendInitialEvents?: boolean | undefined;
}

/**
 * A resourceVersion parameter; "" is 0 and so is "0". What is no unsigned number of 64 bits is refused with 400, in the
 * reference's words. Numbers that we can not count to are as far away as the farthest that we can.
 */
export function parseResourceVersion(text: string): number {
  if (text === "") return 0;
  const digits = /^\d+$/.test(text);
  if (digits && BigInt(text) < 2n ** 64n) return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  const value = JSON.stringify(text);
  const why = `strconv.ParseUint: parsing ${value}: ${digits ? "value out of range" : "invalid syntax"}`;
  throw badRequest(`invalid resource version: resourceVersion: Invalid value: ${value}: ${why}`);
}

/** What a list or a watch may not ask for together. */
export const listOptionsInvalid = (metaGroup: string, errors: readonly FieldError[]): ApiError =>
  invalid({ group: metaGroup, kind: "ListOptions" }, "", errors);

export const matchField = "resourceVersionMatch";
const known = ["Exact", "NotOlderThan", ""];

function matchErrors(options: ListOptions): FieldError[] {
  const { resourceVersion, resourceVersionMatch: match } = options;
  if (match === "") return [];
  const errors: FieldError[] = [];
  if (resourceVersion === "") {
    errors.push(
      fieldError.forbidden(matchField, "resourceVersionMatch is forbidden unless resourceVersion is provided"),
    );
  }
  if (options.continueToken !== "") {
    errors.push(fieldError.forbidden(matchField, "resourceVersionMatch is forbidden when continue is provided"));
  }
  if (!known.includes(match)) errors.push(fieldError.notSupported(matchField, match, known));
  if (match === "Exact" && resourceVersion === "0") {
    errors.push(fieldError.forbidden(matchField, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  return errors;
}

/**
 * The list table of rules: Resource version semantics, cell by cell; 422 and 400 as the reference. A deletecollection
 * chooses what it deletes in the same way.
 */
export function listStart(options: ListOptions, metaGroup: string): ListStart {
  const errors = matchErrors(options);
  if (options.sendInitialEvents !== undefined) {
    errors.push(fieldError.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  if (errors.length > 0) throw listOptionsInvalid(metaGroup, errors);
  if (options.continueToken !== "") {
    if (!["", "0"].includes(options.resourceVersion))
      throw badRequest("specifying resource version is not allowed when using continue");
    return { type: "continue" };
  }
  const revision = parseResourceVersion(options.resourceVersion);
  if (options.resourceVersion === "") return { type: "mostRecent" };
  if (revision === 0) return { type: "any" };
  if (options.resourceVersionMatch === "Exact") return { type: "exact", revision };
  if (options.resourceVersionMatch === "" && options.limit > 0) return { type: "exact", revision };
  return { type: "notOlderThan", revision };
}
