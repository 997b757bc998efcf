import { isTrue } from "@orch/api/query-values.js";
import type { Authorizer } from "@orch/auth/authorizer.js";
import type { WriteExplain } from "@orch/rpc/messages.js";
import { badRequest } from "@orch/status/api-error.js";
import type { Negotiated, Wanted } from "../call.js";
import type { HttpRequest } from "../http/request.js";
import { documentOf } from "../representation.js";
import { serveWrite, type Write, type WriteDeps } from "../writes.js";

export interface ExplainDeps extends WriteDeps {
  readonly authorizer: Authorizer;
}

/** Whether a write is to be explained and not made: `?explain=true`. */
export function wantsExplanation({ query }: HttpRequest): boolean {
  return query !== undefined && isTrue(query.get("explain"));
}

/** @throws ApiError BadRequest for a write that would be made, or of which there is nothing to explain */
export function checkExplainable({ verb, request }: Negotiated, isReview: boolean): void {
  if (isReview || !explained.has(verb)) {
    throw badRequest("explain is for objects that are created, updated, patched or applied");
  }
  // What stands there is looked at where the write is: whatever is no dry run is refused.
  if (!request.query?.get("dryRun")) throw badRequest("explain is only possible together with dryRun=All");
}

const explained: ReadonlySet<string> = new Set(["create", "update", "patch"]);

/**
 * Answers what a write would come to and by what, instead of making it. The state that it would change is shown to those who may
 * read it. @throws ApiError
 */
export async function serveExplanation(
  deps: ExplainDeps,
  call: Negotiated,
  { wanted, write }: { readonly wanted: Wanted; readonly write: Write },
): Promise<void> {
  const { reason } = call.decision;
  const explain: WriteExplain = { reason, mayRead: await mayRead(deps, call, wanted) };
  await serveWrite(deps, { ...write, representation: documentOf(wanted.representation), explain });
}

async function mayRead({ authorizer }: ExplainDeps, { user, verb }: Negotiated, { subject }: Wanted): Promise<boolean> {
  if (verb === "create") return true;
  const { target } = subject.route;
  const { outcome } = await authorizer.authorize({ ...target, kind: "resource", user, verb: "get", subresource: "" });
  return outcome === "allow";
}
