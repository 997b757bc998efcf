import { hash } from "node:crypto";
import type { Catalog, Kind } from "@orch/api/catalog.js";
import type { Convert } from "@orch/api/custom/convert.js";
import type { AnyObject } from "@orch/api/object.js";
import type { EventType } from "@orch/cache/change.js";
import { choosesFields, type Form, parseForm } from "@orch/render/form.js";
import type { Piece, Renderer } from "@orch/render/renderer.js";
import { createRenderers } from "@orch/render/renderers.js";
import { badRequest } from "@orch/status/api-error.js";
import { LRUCache } from "lru-cache";
import { createHotLists } from "../list/hot-lists.js";
import { type CachedObject, metadataBytes, parsedMetadata, parsedWhole } from "../object.js";
import type { PrintElsewhere } from "../thread/large-printer.js";
import { customRendition } from "./custom.js";
import { type CustomVersion, customVersion, type PendingAnswer } from "./custom-version.js";
import { type Making, madeRendition, type Spliced } from "./made.js";
import type { Rendition } from "./rendition.js";
import { storedRendition } from "./stored.js";

export interface Renditions {
  /** `form` is the text of a form. @throws ApiError BadRequest for another text */
  of(kind: Kind, form: string, subresource?: string): Rendition;
  /** Drops what is kept: the store's history began anew, and its revisions may mean other objects. */
  forget(): void;
}

export interface RenditionOptions {
  readonly catalog: Catalog;
  readonly metaGroup: string;
  /** Milliseconds since 1970: ages are told of it. */
  readonly wallClock: () => number;
  /** Bytes of encodings that are kept while they are hot. */
  readonly hotBytes: number;
  /** Makes pieces of large objects; all are made here where absent. */
  readonly printElsewhere?: PrintElsewhere | undefined;
  /** Asks webhooks to convert custom resources. */
  readonly convert: Convert;
}

/** Choices of fields of which the rendition is kept, of all kinds together. */
const mostProjections = 500;
/** Of the bytes that are kept while they are hot, objects with some of their fields may have this part more. */
const projectedShare = 8;

/** Of lists that are asked for again and again. */
const hotListBytes = 32 * 1024 * 1024;

export function createRenditions(options: RenditionOptions): Renditions {
  const renderers = createRenderers(options.catalog, options.metaGroup);
  const hot = new LRUCache<string, Piece>({ maxSize: options.hotBytes });
  const hotLists = createHotLists(hotListBytes);
  const converted = new LRUCache<string, AnyObject>({ maxSize: options.hotBytes });
  const pending = new Map<string, PendingAnswer>();
  const reprintedObjects = new LRUCache<string, CachedObject>({ maxSize: options.hotBytes });
  const made = new WeakMap<Kind, Forms>();
  // Clients may think of any fields: what is made of them takes no room from what is shown to many.
  const projections = new LRUCache<string, Rendition>({ max: mostProjections });
  const projectedHot = new LRUCache<string, Piece>({
    maxSize: Math.max(1, Math.floor(options.hotBytes / projectedShare)),
  });
  let kinds = 0;
  const make = (
    kind: Kind,
    { number }: Forms,
    { text, subresource }: Pick<Wanted, "text" | "subresource">,
  ): Rendition => {
    const form = parseForm(text);
    if (form === undefined) throw badRequest(`unknown form ${JSON.stringify(text)}`);
    const renderer = renderers.of(kind, form, subresource);
    const id = `${number}:${kind.apiVersion}/${kind.plural}/${subresource};${shortText(text)}`;
    const version =
      kind.custom === undefined
        ? undefined
        : customVersion(kind, { convert: options.convert, converted, pending, id: String(number) });
    if (text === "" && subresource === "" && kind.conversion === undefined) {
      return version === undefined
        ? storedRendition(id, kind, { renderer, hotLists })
        : customRendition(id, kind, { renderer, hotLists, version, reprinted: reprintedObjects });
    }
    return madeRendition(id, renderer, {
      ...{ wallClock: options.wallClock, hotLists, timeless: form.as !== "Table", pieces: id },
      hot: form.fields === undefined ? hot : projectedHot,
      ...partsOf(form, renderer, version),
      elsewhere: version === undefined ? elsewhereOf(options, { kind, form, text, subresource }) : undefined,
      latest: undefined,
    });
  };
  return {
    of(kind, form, subresource = "") {
      const forms = made.get(kind) ?? { number: ++kinds, byForm: new Map<string, Rendition>() };
      made.set(kind, forms);
      // Other subresources than this show the object itself.
      const shown = subresource === "scale" ? subresource : "";
      const key = `${shown}|${form}`;
      if (choosesFields(form)) {
        const ofAll = `${forms.number}|${key}`;
        const projection = projections.get(ofAll) ?? make(kind, forms, { text: form, subresource: shown });
        projections.set(ofAll, projection);
        return projection;
      }
      const known = forms.byForm.get(key) ?? make(kind, forms, { text: form, subresource: shown });
      forms.byForm.set(key, known);
      return known;
    },
    forget() {
      hot.clear();
      projectedHot.clear();
      reprintedObjects.clear();
      converted.clear();
      pending.clear();
      hotLists.forget();
    },
  };
}

/** Equal for equal forms. Fields may be some thousand characters, and every piece is kept under this. */
function shortText(form: string): string {
  return choosesFields(form) ? `?${hash("sha256", form, "base64url")}` : form;
}

/** What is kept of a kind, for as long as there is the kind. */
interface Forms {
  /** No other kind has had it, nor an earlier state of this one: what is kept of its objects is kept under this. */
  readonly number: number;
  readonly byForm: Map<string, Rendition>;
}

function partsOf(
  form: Form,
  renderer: Renderer,
  version: CustomVersion | undefined,
): Pick<Making, "parsed" | "spliced" | "version"> {
  const { fromJson } = renderer;
  if (form.as !== "PartialObjectMetadata") {
    const isWhole = version === undefined && fromJson?.of === "object";
    return {
      parsed: version?.parsed ?? parsedWhole,
      spliced: isWhole ? { piece: ({ bytes }) => fromJson.piece(bytes) } : undefined,
      version: asking(version),
    };
  }
  const ofMetadata = fromJson?.of === "metadata" ? fromJson : undefined;
  // Metadata is the same in every version.
  return {
    parsed: parsedMetadata,
    version: undefined,
    spliced: isSpliced(form)
      ? splicedMetadata(renderer)
      : ofMetadata && { piece: (object) => ofMetadata.piece(metadataBytes(object)) },
  };
}

function asking(version: CustomVersion | undefined): CustomVersion | undefined {
  return version?.asks === true ? version : undefined;
}

/** JSON of the metadata alone has the bytes that the whole has. */
function isSpliced({ as, encoding }: Form): boolean {
  return as === "PartialObjectMetadata" && encoding === "json";
}

/** The metadata's own bytes with what the renderer writes around another's: `{"metadata":…}`, and that in an event. */
function splicedMetadata(renderer: Renderer): Spliced {
  const name = "sample";
  const metadata = JSON.stringify({ name });
  const sample = renderer.piece({ metadata: { name } }).at(0);
  const around = (bytes: Buffer): readonly [head: Buffer, tail: Buffer] => {
    const at = bytes.indexOf(metadata);
    return [bytes.subarray(0, at), bytes.subarray(at + metadata.length)];
  };
  const [head, tail] = around(sample);
  const ofEvent = (type: EventType) => around(renderer.event(type, renderer.document(sample, "")));
  const events = { ADDED: ofEvent("ADDED"), MODIFIED: ofEvent("MODIFIED"), DELETED: ofEvent("DELETED") };
  return {
    piece(object) {
      const bytes = Buffer.concat([head, metadataBytes(object), tail]);
      return { at: () => bytes, size: bytes.length };
    },
    event(type, object) {
      const [before, after] = events[type];
      return Buffer.concat([before, metadataBytes(object), after]);
    },
  };
}

interface Wanted {
  readonly kind: Kind;
  readonly form: Form;
  readonly text: string;
  readonly subresource: string;
}

function elsewhereOf({ printElsewhere, wallClock }: RenditionOptions, { kind, form, text, subresource }: Wanted) {
  if (printElsewhere === undefined || isSpliced(form)) return undefined;
  const { apiVersion, kind: name } = kind;
  return ({ bytes }: CachedObject): Promise<Buffer> =>
    printElsewhere({
      bytes,
      apiVersion,
      kind: name,
      definition: kind.definition?.(),
      subresource,
      form: text,
      now: wallClock(),
    });
}
