import type { UserInfo } from "@orch/auth/user.js";
import type { Received } from "../call.js";
import type { HttpRequest } from "../http/request.js";

/** Who has not proven who he is. */
export const nobody: UserInfo = { name: "", uid: "", groups: [], extra: {} };

const resourceVerbs: ReadonlySet<string> = new Set([
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
]);

/** A method that means nothing to resources has no verb there. */
export function shownVerb({ verb, route }: Pick<Received, "verb" | "route">): string {
  return route.type !== "resource" || resourceVerbs.has(verb) ? verb : "";
}

/** What was tried, in the reference's words. */
export function authenticationFailure(request: HttpRequest): string {
  const [scheme = "", credentials = ""] = (request.header("authorization") ?? "").trim().split(" ", 2);
  const word = scheme.toLowerCase();
  const tried = [
    ...(word === "basic" && credentials !== "" ? ["basic"] : []),
    ...(word === "bearer" && credentials !== "" ? ["bearer"] : []),
    ...((request.query?.get("access_token") ?? "").trim() === "" ? [] : ["access_token"]),
    ...(request.peer.certificate === undefined ? [] : ["x509"]),
  ];
  if (tried.length === 0) return "Authentication failed, no credentials provided";
  return `Authentication failed, attempted: ${tried.join(", ")}`;
}
