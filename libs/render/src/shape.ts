import type { Kind } from "@orch/api/catalog.js";
import type { FieldPath } from "@orch/api/field-paths.js";
import type { AnyObject } from "@orch/api/object.js";
import { scaleOf } from "@orch/api/scale.js";
import { asVersion, decodeObject } from "@orch/api/writes.js";
import type { JsonObject, MessageType } from "@orch/schema/descriptor.js";
import { projected, projectionOf } from "./projection.js";

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** What is shown of the stored objects of a kind: of which type, and how a hub's object becomes such a tree. */
export interface Shape {
  readonly typeMeta: TypeMeta;
  /** Pieces hold kind and apiVersion themselves: items of lists of custom resources say what they are. */
  readonly isNamed: boolean;
  readonly listTypeMeta: TypeMeta;
  readonly type: () => MessageType;
  /** What of the stored object's JSON the tree is, as it stands; undefined where it is made of more than that. */
  readonly json: "object" | "metadata" | undefined;
  /** Without kind and apiVersion; `null` and absence are the same in it. */
  tree(hub: AnyObject): JsonObject;
}

/** The object itself in a version. */
export function objectShape(kind: Kind): Shape {
  const { apiVersion } = kind;
  const same = kind.hub === kind || kind.conversion === undefined;
  return {
    typeMeta: { apiVersion, kind: kind.kind },
    isNamed: kind.custom !== undefined,
    listTypeMeta: { apiVersion, kind: kind.listKind },
    type: () => kind.type,
    json: same ? "object" : undefined,
    tree: (hub) => withoutTypeMeta(same ? hub : asVersion(kind, decodeObject(kind.hub, hub).object)),
  };
}

/** Its metadata alone (rules: Media types and headers); items of lists say what they are where their encoding can. */
export function partialShape(meta: {
  readonly apiVersion: string;
  readonly type: MessageType;
  readonly isNamed: boolean;
}): Shape {
  const { apiVersion, type, isNamed } = meta;
  return {
    typeMeta: { kind: "PartialObjectMetadata", apiVersion },
    isNamed,
    listTypeMeta: { apiVersion, kind: "PartialObjectMetadataList" },
    type: () => type,
    json: "metadata",
    tree: ({ metadata }) => ({ metadata }),
  };
}

function withoutTypeMeta({ kind: _kind, apiVersion: _apiVersion, ...rest }: AnyObject): JsonObject {
  return rest;
}

/** Its scale (rules: Sub-resources): what `…/scale` shows. */
export function scaleShape(kind: Kind, scale: Kind): Shape {
  const { apiVersion } = scale;
  return {
    typeMeta: { apiVersion, kind: scale.kind },
    isNamed: false,
    listTypeMeta: { apiVersion, kind: scale.listKind },
    type: () => scale.type,
    json: undefined,
    tree: (hub) => withoutTypeMeta(scaleOf(kind, hub, apiVersion)),
  };
}

/** Some of its fields, with those that say which object it is. */
export function projectedShape(shape: Shape, fields: readonly FieldPath[]): Shape {
  const projection = projectionOf([...identity, ...fields]);
  return { ...shape, json: undefined, tree: (hub) => projected(shape.tree(hub), projection) };
}

/** What a client needs to keep objects apart and up to date. */
const identity = ["name", "namespace", "uid", "resourceVersion"].map((name) => ["metadata", name]);
