import type { Kind } from "@orch/api/catalog.js";
import type { Subresource } from "@orch/api/data-file.js";
import { ApiError, methodNotAllowed, unknownPath } from "@orch/status/api-error.js";
import type { Served } from "./documents/discovery.js";
import type { ResourceRoute } from "./path.js";
import { checkTarget } from "./verbs.js";

/**
 * Whether a request's path and verb are there for a kind, or for the subresource that the path names
 * (rules: Path shapes, Verbs to HTTP).
 * @throws ApiError NotFound, MethodNotAllowed; NotImplemented for what only a node could answer
 */
export function checkServed(kind: Kind, to: ResourceRoute, verb: string, served: Served): void {
  checkTarget(verb, to);
  const { namespace, name, subresource } = to.target;
  // A namespaced object without a namespace, or the other way round, is at no path.
  if (namespace !== "" && !kind.namespaced) throw unknownPath();
  if (namespace === "" && kind.namespaced && name !== "") throw unknownPath();
  if (subresource !== "") {
    checkSubresource(subresourceOf(kind, subresource), { kind, verb, served });
    return;
  }
  // All namespaces together can be read and nothing else.
  if (namespace === "" && kind.namespaced && verb !== "list" && verb !== "watch") throw methodNotAllowed();
  if (!kind.verbs.some((v) => v === verb)) throw methodNotAllowed();
}

function subresourceOf(kind: Kind, path: string): Subresource | undefined {
  const whole = kind.subresources.find((s) => s.name === path);
  if (whole !== undefined) return whole;
  const slash = path.indexOf("/");
  const first = slash < 0 ? "" : path.slice(0, slash);
  return kind.subresources.find((s) => s.path && s.name === first);
}

function checkSubresource(
  subresource: Subresource | undefined,
  { kind, verb, served }: { readonly kind: Kind; readonly verb: string; readonly served: Served },
): void {
  if (subresource === undefined) throw unknownPath();
  const { name, text, upgrade, path } = subresource;
  if (text || upgrade || path) {
    const why = "it is answered by a node's agent, and this server has no way to one yet";
    throw new ApiError("NotImplemented", `${kind.plural}/${name} is not available: ${why}`);
  }
  if (!served.subresources.has(name)) throw unknownPath();
  if (!subresource.verbs.includes(verb)) throw methodNotAllowed();
}
