import { methodNotAllowed } from "@orch/status/api-error.js";
import type { ResourceRoute } from "./path.js";

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** The verb of a request (spec 1: Verbs to HTTP). @throws ApiError MethodNotAllowed */
export function verbOf(method: string, route: ResourceRoute, query: URLSearchParams | undefined): Verb {
  const single = route.name !== "";
  switch (method) {
    case "GET":
    case "HEAD":
      if (route.watch || isTrue(query?.get("watch"))) return "watch";
      return single ? "get" : "list";
    case "POST":
      if (single && route.subresource === "") throw methodNotAllowed();
      return "create";
    case "PUT":
      if (!single) throw methodNotAllowed();
      return "update";
    case "PATCH":
      if (!single) throw methodNotAllowed();
      return "patch";
    case "DELETE":
      return single ? "delete" : "deletecollection";
    default:
      throw methodNotAllowed();
  }
}

/** A boolean query parameter as the reference reads it: absent, `0` and `false` are false, the rest is true. */
export function isTrue(value: string | null | undefined): boolean {
  return value !== null && value !== undefined && value !== "0" && value.toLowerCase() !== "false";
}
