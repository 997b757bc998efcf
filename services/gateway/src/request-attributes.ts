import { parseFieldTerms } from "@orch/api/selectors/fields.js";
import { SelectorError } from "@orch/api/selectors/labels.js";
import type { Attributes, ResourceAttributes } from "@orch/auth/authorizer.js";
import type { UserInfo } from "@orch/auth/user.js";
import { pathSegment } from "@orch/schema/formats/names.js";
import type { Target } from "@orch/status/target.js";
import type { Received } from "./call.js";
import type { HttpRequest } from "./http/request.js";

/** What a request must be allowed (rules: Authentication, 2), by its path, method and query. */
export function attributesOf(
  { route, verb, request }: Pick<Received, "route" | "verb"> & { readonly request: Pick<HttpRequest, "query"> },
  user: UserInfo,
): Attributes {
  if (route.type !== "resource") return { kind: "path", user, verb, path: route.path };
  const { group, version, resource, name, subresource } = route.target;
  // Each field by itself: spreading the target costs every request 0.15 µs.
  const attributes: ResourceAttributes = {
    kind: "resource",
    user,
    verb,
    group,
    version,
    resource,
    subresource: firstSegment(subresource),
    namespace: namespaceOf(route.target),
    name,
  };
  const { query } = request;
  return query === undefined || route.watch || !selecting.has(verb) ? attributes : selected(attributes, query);
}

/** A user who may use `proxy` may use `proxy/a/b`. */
function firstSegment(subresource: string): string {
  const slash = subresource.indexOf("/");
  return slash < 0 ? subresource : subresource.slice(0, slash);
}

/** A namespace counts as being in itself, so that a role in a namespace can give rights to the namespace. */
function namespaceOf({ resource, namespace, name }: Target): string {
  return namespace === "" && resource === "namespaces" ? name : namespace;
}

const selecting: ReadonlySet<string> = new Set(["list", "watch", "deletecollection"]);

/** The first of repeated parameters counts, as it does when the request is served. */
function selected(attributes: ResourceAttributes, query: URLSearchParams): ResourceAttributes {
  const fieldSelector = query.get("fieldSelector") ?? "";
  const labelSelector = query.get("labelSelector") ?? "";
  const narrowed = attributes.name === "" && attributes.verb !== "deletecollection";
  return {
    ...attributes,
    ...(narrowed && fieldSelector !== "" ? { name: selectedName(fieldSelector) } : {}),
    ...(fieldSelector === "" ? {} : { fieldSelector }),
    ...(labelSelector === "" ? {} : { labelSelector }),
  };
}

/** The only name that a selector can match; "" if it may match others. */
function selectedName(fieldSelector: string): string {
  if (!fieldSelector.includes("metadata.name")) return "";
  const name = termsOf(fieldSelector).find((t) => t.field === "metadata.name" && t.operator === "=")?.value ?? "";
  return pathSegment(name).length === 0 ? name : "";
}

/** No terms for an invalid selector: the request is refused later. */
function termsOf(fieldSelector: string): ReturnType<typeof parseFieldTerms> {
  try {
    return parseFieldTerms(fieldSelector);
  } catch (error) {
    if (error instanceof SelectorError) return [];
    throw error;
  }
}
