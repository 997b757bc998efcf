import type { ResourceAttributes } from "@orch/auth/authorizer.js";
import { badRequest } from "@orch/status/api-error.js";
import type { Received } from "../call.js";
import type { HttpRequest } from "../http/request.js";

/** Asks for what the client may see of all namespaces; a parameter, or a header for clients that cannot set one. */
export const scopeParameter = "scope";
export const scopeHeader = "list-scope";
const permittedWord = "permitted";

/** @throws ApiError BadRequest for a scope that there is none of */
export function wantsPermitted(request: Pick<HttpRequest, "query" | "header">): boolean {
  const scope = request.query?.get(scopeParameter) ?? request.header(scopeHeader) ?? "";
  checkScope(scope);
  return scope !== "";
}

/**
 * Of those, too, who may see everything: a word that is passed over for them would be found wrong by others.
 * @throws ApiError BadRequest for a scope that there is none of
 */
export function checkScope(scope: string): void {
  if (scope === "" || scope === permittedWord) return;
  throw badRequest(`invalid ${scopeParameter}: the one that can be asked for is ${permittedWord}`);
}

/** Whether a request is one that can be answered of some namespaces: a list or a watch of the present state in all of them. */
export function isAboutAllNamespaces({ verb, request }: Received, attributes: ResourceAttributes): boolean {
  return (
    (verb === "list" || verb === "watch") &&
    attributes.namespace === "" &&
    attributes.subresource === "" &&
    request.query?.has("at") !== true
  );
}
