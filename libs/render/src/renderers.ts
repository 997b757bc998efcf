import type { Catalog, Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import type { JsonObject, MessageType } from "@orch/schema/descriptor.js";
import { type Form, formText } from "./form.js";
import { type Framing, framings } from "./framing.js";
import type { Renderer } from "./renderer.js";
import { objectShape, partialShape, projectedShape, type Shape, scaleShape } from "./shape.js";
import { tableRenderer } from "./table.js";

export interface Renderers {
  /** The renderer of a kind and form; the same one for the same two, unless the form has fields. `subresource`: `scale`, or "" . */
  of(kind: Kind, form: Form, subresource: string): Renderer;
}

/** Types of the meta group that every renderer needs. */
export interface MetaTypes {
  readonly group: string;
  readonly listMeta: MessageType;
  readonly status: MessageType;
  readonly partial: MessageType;
}

/** `catalog` needs no more than the built-in kinds. */
export function createRenderers(catalog: Catalog, metaGroup: string): Renderers {
  const made = new WeakMap<Kind, Map<string, Renderer>>();
  const meta: MetaTypes = {
    group: metaGroup,
    listMeta: metaType(catalog, "ListMeta"),
    status: metaType(catalog, "Status"),
    partial: metaType(catalog, "PartialObjectMetadata"),
  };
  const make = (kind: Kind, form: Form, subresource: string): Renderer => {
    const scale = subresource === "scale" ? scaleKindOf(catalog, kind) : undefined;
    const whole = scale === undefined ? objectShape(kind) : scaleShape(kind, scale);
    const shape = form.fields === undefined ? whole : projectedShape(whole, form.fields);
    const apiVersion = `${metaGroup}/${form.metaVersion}`;
    switch (form.as) {
      case "Object":
        return customList(kind, objectRenderer(shape, framings[form.encoding], meta));
      case "PartialObjectMetadata":
        return objectRenderer(
          partialShape({ apiVersion, type: meta.partial, isNamed: form.encoding !== "protobuf" }),
          framings[form.encoding],
          meta,
        );
      case "Table":
        return tableRenderer({ table: (scale ?? kind).table, hub: kind.hub, shape, apiVersion, form });
    }
  };
  return {
    of(kind, form, subresource) {
      // There are as many as clients think of.
      if (form.fields !== undefined) return make(kind, form, subresource);
      const byForm = made.get(kind) ?? new Map<string, Renderer>();
      made.set(kind, byForm);
      const key = `${subresource}|${formText(form)}`;
      const known = byForm.get(key) ?? make(kind, form, subresource);
      byForm.set(key, known);
      return known;
    },
  };
}

/** Lists of custom resources always say how they go on, as those of the reference. */
function customList(kind: Kind, renderer: Renderer): Renderer {
  if (kind.definition === undefined) return renderer;
  return { ...renderer, list: (metadata, items) => renderer.list({ continue: "", ...metadata }, items) };
}

function metaType(catalog: Catalog, name: string): MessageType {
  const type = catalog.type(`meta/v1.${name}`);
  if (type === undefined) throw new TypeError(`the catalog has no ${name}`);
  return type;
}

/** The kind of Scale that objects of a kind are scaled through. */
export function scaleKindOf(catalog: Catalog, kind: Kind): Kind {
  const described = kind.subresources.find((s) => s.name === "scale");
  const scale = catalog.kind(described?.apiVersion ?? kind.apiVersion, described?.kind ?? "");
  if (scale === undefined) throw new TypeError(`the catalog has no scale of ${kind.apiVersion} ${kind.kind}`);
  return scale;
}

function objectRenderer(shape: Shape, framing: Framing, meta: MetaTypes): Renderer {
  const listType = () => meta.listMeta;
  const { typeMeta, isNamed } = shape;
  const treeOf = (hub: AnyObject): JsonObject => (isNamed ? { ...typeMeta, ...shape.tree(hub) } : shape.tree(hub));
  return {
    piece(hub) {
      const bytes = framing.piece(shape.type, treeOf(hub));
      return { at: () => bytes, size: bytes.length };
    },
    fromJson: jsonPieces(shape, framing),
    document: (piece) => framing.document(isNamed ? undefined : typeMeta, piece),
    list: (metadata, items) => framing.list({ typeMeta: shape.listTypeMeta, metadata, metadataType: listType }, items),
    sized: framing.sized,
    itemSize: framing.itemSize,
    event: framing.event,
    bookmark: (metadata) =>
      framing.event("BOOKMARK", framing.document(shape.typeMeta, framing.piece(shape.type, { metadata }))),
    error: (status) => framing.event("ERROR", statusBody(framing, meta, status)),
    status: (status) => statusBody(framing, meta, status),
  };
}

function jsonPieces({ json, isNamed, type }: Shape, { fromJson }: Framing): Renderer["fromJson"] {
  if (json === undefined || fromJson === undefined || isNamed) return undefined;
  const make = fromJson[json];
  return {
    of: json,
    piece(text) {
      const bytes = make(type(), text);
      return { at: () => bytes, size: bytes.length };
    },
  };
}

function statusBody(framing: Framing, meta: MetaTypes, status: JsonObject): Buffer {
  const { kind: _kind, apiVersion: _apiVersion, ...tree } = status;
  return framing.document(
    { kind: "Status", apiVersion: "v1" },
    framing.piece(() => meta.status, tree),
  );
}
