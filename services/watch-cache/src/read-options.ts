import { type ApiError, badRequest, invalid } from "@orch/status/api-error.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";

/** The version a read must show (spec 1: Resource version semantics). */
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

/** Where a watch begins; `initialState` asks for synthetic ADDED events of a state that fresh. */
export type WatchStart =
  | { readonly type: "after"; readonly revision: number }
  | { readonly type: "now"; readonly freshness: Freshness }
  | { readonly type: "initialState"; readonly freshness: Freshness; readonly announceEnd: boolean };

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

export function getFreshness(resourceVersion: string): Freshness {
  const revision = parseResourceVersion(resourceVersion);
  if (resourceVersion === "") return { type: "mostRecent" };
  return revision === 0 ? { type: "any" } : { type: "notOlderThan", revision };
}

const listOptionsInvalid = (metaGroup: string, errors: readonly FieldError[]): ApiError =>
  invalid({ group: metaGroup, kind: "ListOptions" }, "", errors);

const matchField = "resourceVersionMatch";
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

/** The list table of spec 1: Resource version semantics, cell by cell; 422 and 400 as the reference. */
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

export interface WatchOptions extends ListOptions {
  readonly allowBookmarks: boolean;
  /** Whether there are streaming lists (gate WatchList). */
  readonly streamingLists: boolean;
}

/** The watch table of spec 1: Resource version semantics, and its streaming lists (Change tracking, 4). */
export function watchStart(options: WatchOptions, metaGroup: string): WatchStart {
  const { resourceVersionMatch: match, sendInitialEvents, streamingLists } = options;
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== "NotOlderThan") {
    errors.push(
      fieldError.forbidden(matchField, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
    );
  }
  if (sendInitialEvents !== undefined && !streamingLists) {
    const unless = "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
    errors.push(fieldError.forbidden("sendInitialEvents", unless));
  }
  if (sendInitialEvents === undefined && match !== "") {
    errors.push(
      fieldError.forbidden(
        matchField,
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
      ),
    );
  }
  if (match !== "" && match !== "NotOlderThan") {
    errors.push(fieldError.notSupported(matchField, match, ["NotOlderThan"]));
  }
  if (errors.length > 0) throw listOptionsInvalid(metaGroup, errors);
  const revision = parseResourceVersion(options.resourceVersion);
  if (sendInitialEvents !== true && revision !== 0) return { type: "after", revision };
  const freshness = getFreshness(options.resourceVersion);
  if (sendInitialEvents === false) return { type: "now", freshness };
  // A watch from no version is a streaming list, whether it says so or not: the end of its state is told too.
  return { type: "initialState", freshness, announceEnd: options.allowBookmarks && streamingLists };
}
