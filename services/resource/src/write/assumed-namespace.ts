import type { WriteRequest } from "@orch/rpc/messages.js";

/**
 * Whether a trial asks what would be if its namespace were there: a set of objects may have the namespace in it. Nothing is
 * written that way.
 */
export function assumesNamespace({ options }: Pick<WriteRequest, "options">): boolean {
  return options["assumeNamespace"] === "true" && options["dryRun"] === "All";
}
