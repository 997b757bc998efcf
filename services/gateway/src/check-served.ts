import type { Kind } from "@orch/api/catalog.js";
import type { Subresource } from "@orch/api/data-file.js";
import { methodNotAllowed, notFound, unknownPath } from "@orch/status/api-error.js";
import type { Target } from "@orch/status/target.js";
import type { Served } from "./documents/discovery.js";
import { historySubresources } from "./documents/history-subresources.js";
import type { ResourceRoute } from "./path.js";
import { checkTarget } from "./verbs.js";

/**
 * Whether a request's path and verb are there for a kind, or for the subresource that the path names
 * (rules: Path shapes, Verbs to HTTP).
 * @throws ApiError NotFound, MethodNotAllowed
 */
export function checkServed(kind: Kind, to: ResourceRoute, verb: string, served: Served): void {
  checkTarget(verb, to);
  const { namespace, name, subresource } = to.target;
  // A namespaced object without a namespace, or the other way round, is at no path.
  if (namespace !== "" && !kind.namespaced) throw unknownPath();
  if (namespace === "" && kind.namespaced && name !== "" && !isOfAllRecords(to.target)) throw unknownPath();
  if (subresource !== "") {
    const known = subresourceOf(kind, subresource);
    if (known === undefined && served.hasHistory(kind) && isRestore(subresource, verb)) return;
    if (known === undefined && kind.definition !== undefined) {
      throw notFound({ group: kind.group, resource: kind.plural }, name);
    }
    checkSubresource(known, { verb, served });
    return;
  }
  // All namespaces together can be read and nothing else.
  if (namespace === "" && kind.namespaced && verb !== "list" && verb !== "watch") {
    // A custom resource is then at no path, as in the reference.
    throw kind.definition === undefined ? methodNotAllowed() : unknownPath();
  }
  if (!kind.verbs.some((v) => v === verb)) throw methodNotAllowed();
}

/** Records of all namespaces are stored anew together. */
const isOfAllRecords = ({ name, subresource }: Target): boolean => name === "-" && subresource === "history";

/** What writes something of an object's past anew; reading it has been answered before. */
function isRestore(subresource: string, verb: string): boolean {
  return historySubresources.some(({ name, verbs }) => name === subresource && verbs.includes(verb));
}

/** The subresource that a path behind an object's name is: `status`, or `proxy` of `proxy/some/path`. */
function subresourceOf(kind: Kind, path: string): Subresource | undefined {
  const whole = kind.subresources.find((s) => s.name === path);
  if (whole !== undefined) return whole;
  const slash = path.indexOf("/");
  const first = slash < 0 ? "" : path.slice(0, slash);
  return kind.subresources.find((s) => s.path && s.name === first);
}

function checkSubresource(
  subresource: Subresource | undefined,
  { verb, served }: { readonly verb: string; readonly served: Served },
): void {
  if (subresource === undefined) throw unknownPath();
  const { name, path, verbs } = subresource;
  if (!served.subresources.has(name)) throw unknownPath();
  // A proxy takes what discovery has no verb for, too.
  if (!verbs.includes(verb) && !(path && verb === "options")) throw methodNotAllowed();
}
