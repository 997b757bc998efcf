import { ApiError } from "@orch/status/api-error.js";
import type { Received } from "../call.js";
import { actsFromOtherSite } from "../http/other-site.js";

/**
 * Any page may have a browser send a request, to which the browser adds a client certificate, or a proxy in front a user. The page
 * reads no answer, but a write needs none, and a connection that goes on in another protocol hides nothing. A token is not added:
 * whoever sends one has it, and is judged by it alone.
 */
export function refuseOtherSites(call: Received): Received {
  const { request } = call;
  if (request.header("authorization") === undefined && actsFromOtherSite(request)) {
    throw new ApiError("Forbidden", "a page of another origin may only do this with a token");
  }
  return call;
}
