import {
  type Freshness,
  type ListOptions,
  listOptionsInvalid,
  matchField,
  parseResourceVersion,
} from "@orch/api/list-options.js";
import { type FieldError, fieldError } from "@orch/status/field-error.js";

/** Where a watch begins; `initialState` asks for synthetic ADDED events of a state that fresh. */
export type WatchStart =
  | { readonly type: "after"; readonly revision: number }
  | { readonly type: "now"; readonly freshness: Freshness }
  | { readonly type: "initialState"; readonly freshness: Freshness; readonly announceEnd: boolean };

export function getFreshness(resourceVersion: string): Freshness {
  const revision = parseResourceVersion(resourceVersion);
  if (resourceVersion === "") return { type: "mostRecent" };
  return revision === 0 ? { type: "any" } : { type: "notOlderThan", revision };
}

export interface WatchOptions extends ListOptions {
  readonly allowBookmarks: boolean;
  /** Whether there are streaming lists (gate WatchList). */
  readonly streamingLists: boolean;
}

/** The watch table of rules: Resource version semantics, and its streaming lists (Change tracking, 4). */
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
