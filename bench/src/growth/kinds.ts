import { type Catalog, isStored, type Kind, loadCatalog } from "@orch/api/catalog.js";
import { withMetadata } from "@orch/api/object.js";
import { decodeObject, fromHub, setDefaults, toHub } from "@orch/api/writes.js";
import { readManifests } from "@orch/e2e/harness/manifest-files.js";
import type { Naming } from "@orch/naming/naming.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { sampleOf } from "./samples.js";

const oldest = 16;
const newest = 32;

/** A catalog that serves every version there ever was: what old releases read, this one reads too. */
export function catalogOfEverything(naming: Naming): Catalog {
  const catalog = loadCatalog(naming, { runtimeConfig: ["api/all=true"] });
  return { ...catalog, resource: (group, version, plural) => catalog.find(group, version, plural) };
}

/** A kind in a version, with a small valid object of it. */
export interface Subject {
  readonly kind: Kind;
  /** `apps/v1.Deployment`. */
  readonly name: string;
  readonly object: JsonObject;
}

/** Every kind in every version that any release served, in the catalog's own words. */
export function subjectsOf(naming: Naming, catalog: Catalog): readonly Subject[] {
  const { kinds: manifests, namespace } = readManifests();
  const hubs = new Map<Kind, JsonObject>();
  for (const { object } of manifests) {
    const kind = catalog.kind(object.apiVersion, object.kind);
    if (kind === undefined) throw new Error(`${object.apiVersion} ${object.kind} is not in the catalog`);
    const placed = kind.namespaced ? { ...object, metadata: { ...object.metadata, namespace } } : object;
    hubs.set(kind.hub, toHub(kind, setDefaults(kind, decodeObject(kind, placed).object)));
  }
  return [...everyKind(naming, catalog)].map(([name, kind]) => {
    const hub = hubs.get(kind.hub);
    const object = hub === undefined ? made(kind, namespace) : shortened(kind, hub);
    return { kind, name, object };
  });
}

/** In a version, as little as it was before a server filled it in. */
function shortened(kind: Kind, hub: JsonObject): JsonObject {
  return kind.hub === kind ? hub : fromHub(kind, withMetadata(hub));
}

/** A review, or a kind that no manifest is of: what its type asks for. */
function made(kind: Kind, namespace: string): JsonObject {
  const sample = sampleOf(kind.type, { index: 0, shape: "distinct" });
  const metadata = { ...(isStored(kind) ? { name: "sample" } : {}), ...(kind.namespaced ? { namespace } : {}) };
  return { ...withMetadata(Object(sample)), kind: kind.kind, apiVersion: kind.apiVersion, metadata };
}

function everyKind(naming: Naming, catalog: Catalog): ReadonlyMap<string, Kind> {
  const found = new Map<string, Kind>();
  for (let minor = newest; minor >= oldest; minor--) {
    const then = loadCatalog(naming, { release: `1.${minor}`, runtimeConfig: ["api/all=true"] });
    for (const { name, versions } of then.groups()) {
      for (const version of versions) {
        for (const { plural, apiVersion, kind } of then.kindsOf(name, version)) {
          const own = catalog.find(name, version, plural);
          if (own?.verbs.includes("create") === true) found.set(`${apiVersion}.${kind}`, own);
        }
      }
    }
  }
  return found;
}
