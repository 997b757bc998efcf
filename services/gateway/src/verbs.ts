import { isTrue } from "@orch/api/query-values.js";
import { methodNotAllowed } from "@orch/status/api-error.js";
import type { ResourceRoute } from "./path.js";

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

const verbsOfMethods: Readonly<Record<string, Verb>> = {
  POST: "create",
  PUT: "update",
  PATCH: "patch",
};

/**
 * The verb that a request asks for and must be allowed (rules: Verbs to HTTP), whether or not its path takes it;
 * the lower-case method where there is none.
 */
export function verbOf(method: string, route: ResourceRoute, query: URLSearchParams | undefined): Verb | string {
  const single = route.target.name !== "";
  if (method === "GET" || method === "HEAD") {
    // What a node or a program behind a proxy is asked for is no watch, whatever its query says.
    if (route.watch || (route.target.subresource === "" && isTrue(query?.get("watch")))) return "watch";
    return single ? "get" : "list";
  }
  if (method === "DELETE") return single ? "delete" : "deletecollection";
  return (Object.hasOwn(verbsOfMethods, method) ? verbsOfMethods[method] : undefined) ?? method.toLowerCase();
}

/** @throws ApiError MethodNotAllowed where a path does not take the verb */
export function checkTarget(verb: string, route: ResourceRoute): void {
  const single = route.target.name !== "";
  if (route.watch && verb !== "watch") throw methodNotAllowed();
  if (verb === "create" && single && route.target.subresource === "") throw methodNotAllowed();
  if ((verb === "update" || verb === "patch") && !single) throw methodNotAllowed();
}
