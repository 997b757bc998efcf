import type { Catalog, Kind } from "@orch/api/catalog.js";
import type { EventType } from "@orch/cache/change.js";
import { parseForm } from "@orch/render/form.js";
import type { ListFrame } from "@orch/render/framing.js";
import type { Piece, Renderer } from "@orch/render/renderer.js";
import { createRenderers } from "@orch/render/renderers.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { badRequest } from "@orch/status/api-error.js";
import { LRUCache } from "lru-cache";
import type { ChunkMemory } from "./chunk-memory.js";
import { createHotLists, type HotLists } from "./hot-lists.js";
import { type ListBody, listMetadata, type SizedChunks, sizedChunks } from "./list-body.js";
import { type CachedObject, copyItem, eventFrame, itemSize } from "./object.js";

/** Objects of one kind as bytes in one version and form: what answers are made of. */
export interface Rendition {
  /** Equal for equal bytes. */
  readonly id: string;
  /** The same bytes at any time: no ages in it. */
  readonly timeless: boolean;
  /** A whole body. */
  document(object: CachedObject): Buffer;
  list(list: ListBody, memory?: ChunkMemory): SizedChunks;
  /** An event of a watch; `revision` stands in the object where it is newer. */
  event(type: EventType, object: CachedObject, revision: number): Buffer;
  /** The same of a change that happens now: most often nobody asks for it again. */
  liveEvent(type: EventType, object: CachedObject, revision: number): Buffer;
  bookmark(revision: number, annotation?: string): Buffer;
  /** An ERROR event. */
  error(status: JsonObject): Buffer;
  /** How a watch goes on after its first event; most often the same. */
  readonly following: Rendition;
}

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
  /** Bytes of encodings that are kept while they are hot (design, section 4.2). */
  readonly hotBytes: number;
}

/** Of lists that are asked for again and again. */
const hotListBytes = 16 * 1024 * 1024;

export function createRenditions(options: RenditionOptions): Renditions {
  const renderers = createRenderers(options.catalog, options.metaGroup);
  const hot = new LRUCache<string, Piece>({ maxSize: options.hotBytes });
  const hotLists = createHotLists(hotListBytes);
  const made = new Map<Kind, Map<string, Rendition>>();
  const make = (kind: Kind, text: string, subresource: string): Rendition => {
    const form = parseForm(text);
    if (form === undefined) throw badRequest(`unknown form ${JSON.stringify(text)}`);
    const renderer = renderers.of(kind, form, subresource);
    const id = `${kind.apiVersion}/${kind.plural}/${subresource};${text}`;
    const isPlain = text === "" && subresource === "" && kind.conversion === undefined;
    return isPlain
      ? storedRendition(id, kind, { renderer, hotLists })
      : madeRendition(id, renderer, {
          ...{ wallClock: options.wallClock, hot, timeless: form.as !== "Table", pieces: id },
          latest: undefined,
        });
  };
  return {
    of(kind, form, subresource = "") {
      const byForm = made.get(kind) ?? new Map<string, Rendition>();
      made.set(kind, byForm);
      // Other subresources than this show the object itself.
      const shown = subresource === "scale" ? subresource : "";
      const key = `${shown}|${form}`;
      const known = byForm.get(key) ?? make(kind, form, shown);
      byForm.set(key, known);
      return known;
    },
    forget() {
      hot.clear();
      hotLists.forget();
    },
  };
}

/** JSON of the stored version, or of one that only its name tells from it: the cached bytes themselves. */
function storedRendition(
  id: string,
  kind: Kind,
  { renderer, hotLists }: { readonly renderer: Renderer; readonly hotLists: HotLists },
): Rendition {
  const named = kind.hub === kind ? undefined : renamed(kind);
  const shown = (object: CachedObject): CachedObject => named?.(object) ?? object;
  const event: Rendition["event"] = (type, object, revision) => eventFrame(type, shown(object), revision);
  const rendition: Rendition = {
    id,
    timeless: true,
    document: (object) => shown(object).bytes,
    list: (list, memory) => {
      const { head, tail } = renderer.list(listMetadata(list), []);
      return hotLists.chunks(id, list.items, { head, tail, ...itemParts(list.items) }, memory);
    },
    event,
    liveEvent: event,
    ...signals(renderer),
    get following() {
      return rendition;
    },
  };
  return rendition;
}

const comma = 0x2c;

function itemParts(items: readonly CachedObject[]) {
  return {
    count: items.length,
    size: (i: number): number => {
      const item = items[i];
      return item === undefined ? 0 : itemSize(item) + (i > 0 ? 1 : 0);
    },
    copy: (i: number, into: Buffer, at: number): number => {
      const item = items[i];
      if (item === undefined) return at;
      if (i > 0) into[at++] = comma;
      return copyItem(item, into, at);
    },
  };
}

/** The object with another apiVersion before its metadata. */
function renamed(kind: Kind): (object: CachedObject) => CachedObject {
  const head = Buffer.from(`{"kind":${JSON.stringify(kind.kind)},"apiVersion":${JSON.stringify(kind.apiVersion)},`);
  return (object) => {
    const bytes = Buffer.concat([head, object.bytes.subarray(object.itemAt)]);
    const versionAt = object.versionAt - object.itemAt + head.length;
    return { ...object, bytes, size: bytes.length, itemAt: head.length, versionAt };
  };
}

interface Making {
  readonly wallClock: () => number;
  readonly hot: LRUCache<string, Piece>;
  readonly timeless: boolean;
  /** Under which its pieces are kept; renditions of equal pieces share them. */
  readonly pieces: string;
  /** The last one that was made for a change: every interest that it concerns asks for it, one after the other. */
  latest: { readonly object: CachedObject; readonly piece: Piece } | undefined;
}

/** Bytes that a kept piece takes besides its own: its key, what stands around its bytes, its place among the others. */
const keptOverhead = 600;

/** Everything else is made of the object when it is first asked for, and kept while it is hot. */
function madeRendition(id: string, renderer: Renderer, making: Making): Rendition {
  const { wallClock, hot, timeless } = making;
  const keyOf = (object: CachedObject): string => `${making.pieces}|${object.key}@${object.revision}`;
  const make = (object: CachedObject): Piece => renderer.piece(JSON.parse(object.bytes.toString("utf8")));
  const pieceOf = (object: CachedObject): Piece => {
    const key = keyOf(object);
    const known = hot.get(key);
    if (known !== undefined) return known;
    const piece = make(object);
    hot.set(key, piece, { size: piece.size + keptOverhead });
    return piece;
  };
  const livePieceOf = (object: CachedObject): Piece => {
    if (making.latest?.object === object) return making.latest.piece;
    const piece = hot.get(keyOf(object)) ?? make(object);
    making.latest = { object, piece };
    return piece;
  };
  const pieceAt = (object: CachedObject, revision: number, known: (object: CachedObject) => Piece): Piece => {
    if (revision === object.revision) return known(object);
    // A deleted object as of its deletion: nobody asks for it twice.
    const hub = JSON.parse(object.bytes.toString("utf8"));
    return renderer.piece({ ...hub, metadata: { ...hub.metadata, resourceVersion: String(revision) } });
  };
  const eventWith =
    (known: (object: CachedObject) => Piece): Rendition["event"] =>
    (type, object, revision) =>
      renderer.event(type, renderer.document(pieceAt(object, revision, known).at(wallClock()), String(revision)));
  const { following } = renderer;
  const next = following === undefined ? undefined : madeRendition(`${id};following`, following, making);
  const rendition: Rendition = {
    id,
    timeless,
    document: (object) => renderer.document(pieceOf(object).at(wallClock()), String(object.revision)),
    list(list, memory) {
      const now = wallClock();
      const pieces = list.items.map((item) => pieceOf(item).at(now));
      return sizedChunks(framedParts(renderer.list(listMetadata(list), pieces), pieces), memory);
    },
    event: eventWith(pieceOf),
    liveEvent: eventWith(livePieceOf),
    ...signals(renderer),
    get following() {
      return next ?? rendition;
    },
  };
  return rendition;
}

function framedParts(frame: ListFrame, pieces: readonly Buffer[]) {
  const none = Buffer.alloc(0);
  const before = pieces.map((piece, i) => frame.before(i, piece));
  return {
    head: frame.head,
    tail: frame.tail,
    count: pieces.length,
    size: (i: number): number => (before[i]?.length ?? 0) + (pieces[i]?.length ?? 0),
    copy: (i: number, into: Buffer, at: number): number => {
      const head = before[i] ?? none;
      const piece = pieces[i] ?? none;
      head.copy(into, at);
      piece.copy(into, at + head.length);
      return at + head.length + piece.length;
    },
  };
}

function signals(renderer: Renderer): Pick<Rendition, "bookmark" | "error"> {
  return {
    bookmark: (revision, annotation) =>
      renderer.bookmark({
        resourceVersion: String(revision),
        ...(annotation === undefined ? {} : { annotations: { [annotation]: "true" } }),
      }),
    error: (status) => renderer.error(status),
  };
}
