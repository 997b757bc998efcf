import type { CatalogHolder } from "@orch/api/custom/live-catalog.js";
import type { Naming } from "@orch/naming/naming.js";
import { unknownPath } from "@orch/status/api-error.js";
import { type Authorized, type Found, found } from "../call.js";
import { type Deprecation, deprecationOf } from "../deprecation.js";
import type { Stage } from "./stages.js";

export interface FindKindDeps {
  /** A request keeps the catalog that it finds. */
  readonly catalog: CatalogHolder;
  readonly naming: Naming;
}

/** The kind that a path to a resource names, and whether its version is deprecated. @throws ApiError NotFound */
export function findKind({ catalog, naming }: FindKindDeps): Stage<Authorized, Found> {
  return (call) => {
    const { route } = call;
    if (route.type !== "resource") return found(call, route);
    const { group, version, resource } = route.target;
    const now = catalog.now;
    const kind = now.resource(group, version, resource);
    if (kind === undefined) throw unknownPath();
    const deprecation = deprecationOf(kind, now.release);
    const auditAnnotations = deprecation === undefined ? none : annotationsOf(naming, deprecation);
    return found(call, { type: route.type, route, kind, deprecation, auditAnnotations });
  };
}

const none: ReadonlyMap<string, string> = new Map();

function annotationsOf(naming: Naming, { removedRelease }: Deprecation): ReadonlyMap<string, string> {
  const annotations = new Map([[naming.auditKey("deprecated"), "true"]]);
  if (removedRelease !== "") annotations.set(naming.auditKey("removed-release"), removedRelease);
  return annotations;
}
