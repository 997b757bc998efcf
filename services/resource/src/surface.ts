import type { Catalog, Kind } from "@orch/api/catalog.js";
import { type AnyObject, withMetadata } from "@orch/api/object.js";
import { scaleOf, validateScale, withScale } from "@orch/api/scale.js";
import {
  asVersion,
  prepareForPart,
  prepareForUpdate,
  setDefaults,
  toHub,
  validatePart,
  validateUpdate,
} from "@orch/api/writes.js";
import { parentManagedFields, type ReplicasPaths, scaleManagedFields } from "@orch/patch/apply/scale-fields.js";
import { scaleKindOf } from "@orch/render/renderers.js";
import { complete } from "@orch/schema/complete.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { checkVersion } from "./preconditions.js";
import { refuseInvalid } from "./refuse.js";
import { contextOf, type Write } from "./write.js";

/**
 * What the bodies of a write are: the object itself, a part of it (`status`), or its Scale. Every change of a stored
 * object goes `old → show → (the client's change) → defaulted → next`.
 */
export interface Surface {
  /** Of the bodies and the answers, in the version of the request. */
  readonly kind: Kind;
  /** A stored state as clients read it here, with the zeros that they see. */
  readonly show: (stored: AnyObject) => AnyObject;
  /** The stored state that clients ask for by `wanted`, of `kind` and defaulted. @throws ApiError Invalid, Conflict */
  readonly next: (wanted: AnyObject, old: AnyObject) => AnyObject;
}

export function surfaceOf(write: Write): Surface {
  const { subresource } = write.request;
  if (subresource === "") return whole(write);
  return subresource === "scale" ? scaled(write) : part(write, subresource);
}

function whole(write: Write): Surface {
  const { kind, requested } = write;
  return {
    kind: requested,
    show: (stored) => asVersion(requested, stored),
    next: (wanted, old) => {
      checkVersion(write, wanted, old);
      const object = prepareForUpdate(kind, toHub(requested, wanted), old, contextOf(write));
      refuseInvalid(kind, object, validateUpdate(requested, object, old));
      return object;
    },
  };
}

/** The part of an object that a subresource shows (spec 1: Sub-resource). */
function part(write: Write, name: string): Surface {
  const { kind, requested } = write;
  return {
    kind: requested,
    show: (stored) => asVersion(requested, stored),
    next: (wanted, old) => {
      checkVersion(write, wanted, old);
      const given = { name, object: toHub(requested, wanted), old };
      const object = prepareForPart(kind, given, contextOf(write));
      refuseInvalid(kind, object, validatePart(requested, { ...given, object }));
      return object;
    },
  };
}

function scaled(write: Write): Surface {
  const { deps, kind, requested } = write;
  const scaleKind = scaleKindOf(deps.catalog, requested);
  const paths = replicasPaths(deps.catalog, kind);
  return {
    kind: scaleKind,
    show: (stored) => {
      const scale = withMetadata(complete(scaleKind.type, scaleOf(kind, stored, scaleKind.apiVersion)));
      return withManagers(scale, scaleManagedFields(stored.metadata.managedFields ?? [], paths));
    },
    next: (wanted, old) => {
      refuseInvalid(scaleKind, wanted, validateScale(kind, wanted));
      checkVersion(write, wanted, old);
      const managers = parentManagedFields(old.metadata.managedFields ?? [], wanted.metadata.managedFields ?? [], {
        paths,
        apiVersion: requested.apiVersion,
      });
      const scaled = withManagers(withScale(old, wanted), managers);
      const object = prepareForUpdate(kind, scaled, old, contextOf(write));
      refuseInvalid(kind, object, validateUpdate(requested, object, old));
      return object;
    },
  };
}

/** Every version of a kind that can be scaled has its size at the same place. */
function replicasPaths(catalog: Catalog, { hub }: Kind): ReplicasPaths {
  const versions = catalog.groups().flatMap(({ name, versions: all }) => all.map((version) => ({ name, version })));
  const kinds = versions.flatMap(({ name, version }) => catalog.kindsOf(name, version));
  return new Map(kinds.filter((k) => k.hub === hub).map((k) => [k.apiVersion, ["spec", "replicas"]]));
}

function withManagers(object: AnyObject, managedFields: readonly JsonObject[] | undefined): AnyObject {
  const { managedFields: _, ...metadata } = object.metadata;
  const some = managedFields !== undefined && managedFields.length > 0;
  return { ...object, metadata: some ? { ...metadata, managedFields } : metadata };
}

/** A body's object in the namespace of its path, with the defaults of its version. */
export function completed({ kind, request }: Write, surface: Surface, given: AnyObject): AnyObject {
  const metadata = kind.namespaced ? { ...given.metadata, namespace: request.namespace } : given.metadata;
  return setDefaults(surface.kind, { ...given, metadata });
}
