import type { HttpRequest } from "./request.js";

/**
 * Whether a page of another origin may be behind a request that changes something, or that goes on in another protocol: what the
 * browser adds of itself, a client certificate or what a proxy in front makes of it, says nothing of the page.
 */
export function actsFromOtherSite(request: HttpRequest): boolean {
  const origin = request.header("origin");
  if (origin === undefined) return false;
  const reads = readers.has(request.method) && request.header("upgrade") === undefined;
  return !reads && !isOwnPage(request, origin);
}

const readers: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** As the browser says; one that does not say is judged by the host, which a proxy in front may have changed. */
function isOwnPage(request: HttpRequest, origin: string): boolean {
  const site = request.header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin" || site === "none";
  const host = request.header("host") ?? request.header(":authority");
  return URL.canParse(origin) && new URL(origin).host === host;
}
