import type { CatalogHolder } from "@orch/api/custom/live-catalog.js";
import type { Naming } from "@orch/naming/naming.js";
import { unknownPath } from "@orch/status/api-error.js";
import type { Target } from "@orch/status/target.js";
import { keyOf } from "../aggregation/api-services.js";
import type { OtherApis } from "../aggregation/other-apis.js";
import { type Authorized, type Found, found } from "../call.js";
import { type Deprecation, deprecationOf } from "../deprecation.js";
import type { ResourceRoute } from "../path.js";
import type { Stage } from "./stages.js";

export interface FindKindDeps {
  /** A request keeps the catalog that it finds. */
  readonly catalog: CatalogHolder;
  readonly naming: Naming;
  readonly apis: OtherApis;
  /** Looks for the definition of a resource that the catalog does not know yet. */
  readonly learn: (target: Target) => Promise<void>;
}

/**
 * The kind that a path to a resource names, and whether its version is deprecated; or the server of somebody else that answers
 * for its group-version, where we do not. @throws ApiError NotFound
 */
export function findKind({ catalog, naming, apis: { remotes }, learn }: FindKindDeps): Stage<Authorized, Found> {
  const known = (call: Authorized, route: ResourceRoute): Found | undefined => {
    const { now } = catalog;
    const { group, version, resource } = route.target;
    const kind = now.resource(group, version, resource);
    if (kind === undefined) return undefined;
    const deprecation = deprecationOf(kind, now.release);
    const auditAnnotations = deprecation === undefined ? none : annotationsOf(naming, deprecation);
    return found(call, { type: route.type, route, kind, deprecation, auditAnnotations });
  };
  const knownLater = async (call: Authorized, route: ResourceRoute): Promise<Found> => {
    await learn(route.target);
    const late = known(call, route);
    if (late === undefined) throw unknownPath();
    return late;
  };
  return (call) => {
    const { route } = call;
    if (route.type === "discovery" && route.version !== undefined && remotes.size > 0) {
      return (
        remotely(call, { group: route.group ?? "", version: route.version }, { remotes, catalog }) ?? found(call, route)
      );
    }
    if (route.type !== "resource") return found(call, route);
    const at = known(call, route);
    if (at !== undefined) return at;
    return (
      (remotes.size === 0 ? undefined : remotely(call, route.target, { remotes, catalog })) ?? knownLater(call, route)
    );
  };
}

/** What is served here is never asked for elsewhere. */
function remotely(
  call: Authorized,
  { group, version }: Pick<Target, "group" | "version">,
  { remotes, catalog }: Pick<OtherApis, "remotes"> & Pick<FindKindDeps, "catalog">,
): Found | undefined {
  const api = remotes.get(keyOf({ group, version }));
  if (api === undefined || catalog.now.kindsOf(group, version).length > 0) return undefined;
  return found(call, { type: "remote", route: call.route, api });
}

const none: ReadonlyMap<string, string> = new Map();

function annotationsOf(naming: Naming, { removedRelease }: Deprecation): ReadonlyMap<string, string> {
  const annotations = new Map([[naming.auditKey("deprecated"), "true"]]);
  if (removedRelease !== "") annotations.set(naming.auditKey("removed-release"), removedRelease);
  return annotations;
}
