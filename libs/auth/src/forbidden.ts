import { ApiError, forbidden } from "@orch/status/api-error.js";
import { cut } from "@orch/status/cut.js";
import type { Attributes } from "./authorizer.js";

/**
 * The 403 for what was not allowed, in the reference's words:
 * `configmaps "a" is forbidden: User "bob" cannot get resource "configmaps" in API group "" in the namespace "obs"`.
 * Every word of it is the client's choice, so none may be endless.
 */
export function forbiddenError(attributes: Attributes, reason = ""): ApiError {
  const who = `User ${quotedText(attributes.user.name)} cannot ${cut(attributes.verb)}`;
  const because = reason === "" ? "" : `: ${cut(reason, longestReason)}`;
  if (attributes.kind === "path") {
    return new ApiError("Forbidden", `forbidden: ${who} path ${quotedText(attributes.path)}${because}`, {
      details: {},
    });
  }
  const { group, resource, subresource, namespace, name } = attributes;
  const what = quotedText(subresource === "" ? resource : `${resource}/${subresource}`);
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${quotedText(namespace)}`;
  const why = `${who} resource ${what} in API group ${quotedText(group)} ${where}${because}`;
  return forbidden({ group, resource }, name, why);
}

/** Authorizers say why; some quote names of the request in it. */
const longestReason = 8 * 1024;

const quotedText = (text: string): string => JSON.stringify(cut(text));
