import type { Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import { scaleOf } from "@orch/api/scale.js";
import { asVersion, decodeObject } from "@orch/api/writes.js";
import type { JsonObject, MessageType } from "@orch/schema/descriptor.js";

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** What is shown of the stored objects of a kind: of which type, and how a hub's object becomes such a tree. */
export interface Shape {
  readonly typeMeta: TypeMeta;
  readonly listTypeMeta: TypeMeta;
  readonly type: () => MessageType;
  /** Without kind and apiVersion; `null` and absence are the same in it. */
  tree(hub: AnyObject): JsonObject;
}

/** The object itself in a version. */
export function objectShape(kind: Kind): Shape {
  const { apiVersion } = kind;
  const same = kind.hub === kind || kind.conversion === undefined;
  return {
    typeMeta: { apiVersion, kind: kind.kind },
    listTypeMeta: { apiVersion, kind: kind.listKind },
    type: () => kind.type,
    tree: (hub) => withoutTypeMeta(same ? hub : asVersion(kind, decodeObject(kind.hub, hub).object)),
  };
}

/** Its metadata alone (rules: Media types and headers). */
export function partialShape(meta: { readonly apiVersion: string; readonly type: MessageType }): Shape {
  const { apiVersion, type } = meta;
  return {
    typeMeta: { apiVersion, kind: "PartialObjectMetadata" },
    listTypeMeta: { apiVersion, kind: "PartialObjectMetadataList" },
    type: () => type,
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
    listTypeMeta: { apiVersion, kind: scale.listKind },
    type: () => scale.type,
    tree: (hub) => withoutTypeMeta(scaleOf(kind, hub, apiVersion)),
  };
}
