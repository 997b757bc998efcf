import { parseFieldTerms } from "@orch/api/selectors/fields.js";
import { SelectorError } from "@orch/api/selectors/labels.js";
import type { Attributes, ResourceAttributes } from "@orch/auth/authorizer.js";
import type { UserInfo } from "@orch/auth/user.js";
import { pathSegment } from "@orch/schema/formats/names.js";
import type { Target } from "@orch/status/target.js";
import type { Received } from "./call.js";
import type { HttpRequest } from "./http/request.js";

/** What a request must be allowed (rules: Authentication, 2), as its path, method and query have it. */
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

/** `proxy/a/b` is allowed to whom `proxy` is. */
function firstSegment(subresource: string): string {
  const slash = subresource.indexOf("/");
  return slash < 0 ? subresource : subresource.slice(0, slash);
}

/** A namespace is in itself: who may do something in it may do that to it where a role says so. */
function namespaceOf({ resource, namespace, name }: Target): string {
  return namespace === "" && resource === "namespaces" ? name : namespace;
}

const selecting: ReadonlySet<string> = new Set(["list", "watch", "deletecollection"]);

/** Of repeated parameters the first counts, as it does for what is read. */
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

/** The one name that a selector lets through; "" where it may be any. */
function selectedName(fieldSelector: string): string {
  if (!fieldSelector.includes("metadata.name")) return "";
  const name = termsOf(fieldSelector).find((t) => t.field === "metadata.name" && t.operator === "=")?.value ?? "";
  return pathSegment(name).length === 0 ? name : "";
}

/** None of a text that is no selector: what it asks for is refused after all. */
function termsOf(fieldSelector: string): ReturnType<typeof parseFieldTerms> {
  try {
    return parseFieldTerms(fieldSelector);
  } catch (error) {
    if (error instanceof SelectorError) return [];
    throw error;
  }
}
