import { ApiError } from "@orch/status/api-error.js";
import type { Received } from "../call.js";
import type { HttpRequest } from "../http/request.js";

/**
 * Any page may have a browser send a request, to which the browser adds a client certificate, or a proxy in front a user. The page
 * reads no answer, but a write needs none, and a connection that goes on in another protocol hides nothing. A token is not added:
 * whoever sends one has it.
 */
export function refuseOtherSites(call: Received): Received {
  const { request } = call;
  const origin = request.header("origin");
  if (origin === undefined || request.header("authorization") !== undefined) return call;
  const reads = readers.has(request.method) && request.header("upgrade") === undefined;
  if (reads || isOwnPage(request, origin)) return call;
  throw new ApiError("Forbidden", "a page of another origin may only do this with a token");
}

const readers: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** As the browser says; one that does not say is judged by the host, which a proxy in front may have changed. */
function isOwnPage(request: HttpRequest, origin: string): boolean {
  const site = request.header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin" || site === "none";
  const host = request.header("host") ?? request.header(":authority");
  return URL.canParse(origin) && new URL(origin).host === host;
}
