import { ApiError, forbidden } from "@orch/status/api-error.js";
import type { Attributes } from "./authorizer.js";

/**
 * The 403 for what was not allowed, in the reference's words:
 * `configmaps "a" is forbidden: User "bob" cannot get resource "configmaps" in API group "" in the namespace "obs"`.
 */
export function forbiddenError(attributes: Attributes, reason = ""): ApiError {
  const who = `User ${JSON.stringify(attributes.user.name)} cannot ${attributes.verb}`;
  const because = reason === "" ? "" : `: ${reason}`;
  if (attributes.kind === "path") {
    return new ApiError("Forbidden", `forbidden: ${who} path ${JSON.stringify(attributes.path)}${because}`, {
      details: {},
    });
  }
  const { group, resource, subresource, namespace, name } = attributes;
  const what = JSON.stringify(subresource === "" ? resource : `${resource}/${subresource}`);
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  const why = `${who} resource ${what} in API group ${JSON.stringify(group)} ${where}${because}`;
  return forbidden({ group, resource }, name, why);
}
