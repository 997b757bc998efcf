import type { Catalog, Kind } from "@orch/api/catalog.js";
import { type AnyObject, withMetadata } from "@orch/api/object.js";
import { scaleOf, unsetSize, validateScale, withScale, withSize } from "@orch/api/scale.js";
import { objectWarnings } from "@orch/api/warnings.js";
import {
  asVersion,
  prepareForCreate,
  prepareForPart,
  prepareForUpdate,
  toHub,
  validateCreate,
  validatePart,
  validateUpdate,
} from "@orch/api/writes.js";
import { parentManagedFields, type ReplicasPaths, scaleManagedFields } from "@orch/patch/apply/scale-fields.js";
import { scaleKindOf } from "@orch/render/renderers.js";
import { complete } from "@orch/schema/complete.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import type { ObjectMeta } from "@orch/schema/object-meta.js";
import type { FieldError } from "@orch/status/field-error.js";
import { refuseInvalid } from "./refuse.js";
import { builtIn, contextOf, type Write } from "./write.js";

/** What the bodies of a write are: the object itself, a part of it (`status`), or its Scale. */
export interface Surface {
  /** Of the bodies and the answers, in the version of the request. */
  readonly kind: Kind;
  /** A stored state as clients read it here, with the zeros that they see. */
  readonly show: (stored: AnyObject) => AnyObject;
  /** A stored state as a change begins with it, where that is not how clients read it. */
  readonly begin?: (stored: AnyObject) => AnyObject;
  /** A defaulted object of `kind` as the hub has it. @throws ApiError Invalid */
  readonly toHub: (object: AnyObject, old: AnyObject | undefined) => AnyObject;
  /** With what the server decides itself. Hub objects. */
  readonly prepare: (object: AnyObject, old: AnyObject | undefined) => AnyObject;
  /** Everything wrong with a prepared object. */
  readonly validate: (object: AnyObject, old: AnyObject | undefined) => readonly FieldError[];
  /** What the writer of a valid object is told. */
  readonly warnings: (state: Warned) => readonly string[];
}

interface Warned {
  readonly object: AnyObject;
  readonly old: AnyObject | undefined;
  /** Before it was prepared. */
  readonly given: AnyObject;
}

export function surfaceOf(write: Write): Surface {
  const { subresource } = write.request;
  if (subresource === "")
    return write.staging?.status === undefined ? whole(write) : withOwnStatus(whole(write), write);
  if (subresource === "scale") return scaled(write);
  const kind = bodyKindOf(write);
  return kind === write.requested ? part(write, subresource) : asItIs(kind);
}

/** Of what a request brings: `pods/<name>/eviction` takes an Eviction, `…/scale` a Scale. */
export function bodyKindOf({ deps, requested, request }: Write): Kind {
  const { subresource } = request;
  if (subresource === "") return requested;
  const described = requested.subresources.find(({ name }) => name === subresource);
  if (described === undefined || described.kind === requested.kind) return requested;
  return builtIn({ deps }, described.apiVersion ?? requested.apiVersion, described.kind);
}

/** Whether what a request brings says how somebody else is to be reached: `…/exec`, `…/proxy`. */
export function isConnection({ requested, request }: Pick<Write, "requested" | "request">): boolean {
  const { subresource } = request;
  if (subresource === "") return false;
  const described = requested.subresources.find(({ name }) => name === subresource);
  return described !== undefined && (described.upgrade || described.path);
}

/** What has been judged, or is never stored: it stays what it is. */
export function asItIs(kind: Kind): Surface {
  return {
    kind,
    show: (object) => object,
    toHub: (object) => object,
    prepare: (object) => object,
    validate: () => [],
    warnings: () => [],
  };
}

function whole(write: Write): Surface {
  const { kind, requested } = write;
  return {
    kind: requested,
    show: (stored) => asVersion(requested, stored),
    toHub: (object) => toHub(requested, object),
    prepare: (object, old) =>
      old === undefined
        ? prepareForCreate(kind, object, contextOf(write))
        : prepareForUpdate(kind, object, old, contextOf(write)),
    validate: (object, old) =>
      old === undefined ? validateCreate(requested, object) : validateUpdate(requested, object, old),
    warnings: ({ object, old, given }) => objectWarnings(kind, object, { old, given }),
  };
}

/** The server's own word on the status, which no writer of the whole object may change. */
function withOwnStatus(surface: Surface, { staging }: Write): Surface {
  return { ...surface, prepare: (object, old) => ({ ...surface.prepare(object, old), status: staging?.status }) };
}

/** The part of an object that a subresource shows (rules: Sub-resources). */
function part(write: Write, name: string): Surface {
  const { kind, requested } = write;
  return {
    kind: requested,
    show: (stored) => asVersion(requested, stored),
    toHub: (object) => toHub(requested, object),
    prepare: (object, old) => prepareForPart(kind, { name, object, old: stored(old) }, contextOf(write)),
    validate: (object, old) => validatePart(requested, { name, object, old: stored(old) }),
    warnings: () => [],
  };
}

function scaled(write: Write): Surface {
  const { deps, kind, requested } = write;
  const scaleKind = scaleKindOf(deps.catalog, requested);
  const paths = replicasPaths(deps.catalog, kind);
  const show = (stored: AnyObject, unset: 0 | typeof unsetSize): AnyObject => {
    const scale = scaleOf(requested, withSize(requested, stored, unset), scaleKind.apiVersion);
    const managers = scaleManagedFields(stored.metadata.managedFields ?? [], paths);
    return withManagers(withMetadata(complete(scaleKind.type, scale)), managers);
  };
  return {
    kind: scaleKind,
    show: (stored) => show(stored, 0),
    begin: (stored) => show(stored, unsetSize),
    toHub(scale, old) {
      refuseInvalid(requested.scale === undefined ? scaleKind : requested, scale, validateScale(requested, scale));
      const parent = stored(old);
      const managers = parentManagedFields(parent.metadata.managedFields ?? [], scale.metadata.managedFields ?? [], {
        paths,
        apiVersion: requested.apiVersion,
      });
      return withManagers(withMetadata(withScale(requested, parent, scale)), managers);
    },
    prepare: (object, old) => prepareForUpdate(kind, object, stored(old), contextOf(write)),
    validate: (object, old) => validateUpdate(requested, object, stored(old)),
    warnings: () => [],
  };
}

/** A part of what is not there is told as not found before anything is made of it. */
function stored(old: AnyObject | undefined): AnyObject {
  if (old === undefined) throw new TypeError("a part of an object that is not stored");
  return old;
}

/** Every version of a built-in kind that can be scaled has its size at the same place, and may be of another group. */
function replicasPaths(catalog: Catalog, { stored, definition }: Kind): ReplicasPaths {
  const groups = catalog.groups().filter(({ name }) => definition === undefined || name === stored.group);
  const versions = groups.flatMap(({ name, versions: all }) => all.map((version) => ({ name, version })));
  const kinds = versions.flatMap(({ name, version }) => catalog.kindsOf(name, version));
  return new Map(
    kinds.filter((k) => k.stored === stored).map((k) => [k.apiVersion, k.scale?.replicas ?? ["spec", "replicas"]]),
  );
}

function withManagers(object: AnyObject, managedFields: readonly JsonObject[] | undefined): AnyObject {
  const { managedFields: _, ...metadata } = object.metadata;
  const some = managedFields !== undefined && managedFields.length > 0;
  return { ...object, metadata: some ? { ...metadata, managedFields } : metadata };
}

/** A body's object in the namespace of its path, or in none. */
export function inItsPlace({ kind, request }: Write, given: AnyObject): AnyObject {
  return { ...given, metadata: placed(given.metadata, kind.namespaced, request.namespace) };
}

function placed(given: ObjectMeta, namespaced: boolean, namespace: string): ObjectMeta {
  if (namespaced) return { ...given, namespace };
  if (given.namespace === undefined) return given;
  const { namespace: _none, ...metadata } = given;
  return metadata;
}
