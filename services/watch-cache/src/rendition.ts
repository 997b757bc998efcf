import type { Catalog, Kind } from "@orch/api/catalog.js";
import type { AnyObject } from "@orch/api/object.js";
import type { EventType } from "@orch/cache/change.js";
import { type ChunkMemory, freshMemory } from "@orch/codec/chunk-memory.js";
import { type Form, parseForm } from "@orch/render/form.js";
import type { ListFrame } from "@orch/render/framing.js";
import type { Piece, Renderer } from "@orch/render/renderer.js";
import { createRenderers } from "@orch/render/renderers.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { badRequest } from "@orch/status/api-error.js";
import { LRUCache } from "lru-cache";
import { createHotLists, type HotLists } from "./list/hot-lists.js";
import { type ListBody, listMetadata, type SizedChunks, sizedChunks } from "./list/list-body.js";
import { type MadeList, madeChunks } from "./list/made-list.js";
import {
  type CachedObject,
  copyItem,
  eventFrame,
  itemSize,
  metadataBytes,
  parsedMetadata,
  parsedWhole,
} from "./object.js";
import type { PrintElsewhere } from "./thread/large-printer.js";

/** Objects of one kind as bytes in one version and form: what answers are made of. */
export interface Rendition {
  /** Equal for equal bytes. */
  readonly id: string;
  /** The same bytes at any time: no ages in it. */
  readonly timeless: boolean;
  /** Answers are made of parsed objects, instead of the bytes that are there. */
  readonly made: boolean;
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
  /**
   * Makes what takes long of these objects in a thread and keeps it for a moment, so that answers find it made; undefined
   * where nothing takes long. What can not be made so is made where it is needed, as ever.
   */
  prepare(objects: readonly CachedObject[]): Promise<void> | undefined;
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
  /** Bytes of encodings that are kept while they are hot. */
  readonly hotBytes: number;
  /** Makes pieces of large objects; all are made here where absent. */
  readonly printElsewhere?: PrintElsewhere | undefined;
}

/** From which on an object's piece is made in a thread: 5 to 10 ms of work. */
export const largeBytes = 96 << 10;

/** Of lists that are asked for again and again. */
const hotListBytes = 16 * 1024 * 1024;

export function createRenditions(options: RenditionOptions): Renditions {
  const renderers = createRenderers(options.catalog, options.metaGroup);
  const hot = new LRUCache<string, Piece>({ maxSize: options.hotBytes });
  const hotLists = createHotLists(hotListBytes);
  const made = new WeakMap<Kind, Forms>();
  let kinds = 0;
  const make = (
    kind: Kind,
    { number }: Forms,
    { text, subresource }: Pick<Wanted, "text" | "subresource">,
  ): Rendition => {
    const form = parseForm(text);
    if (form === undefined) throw badRequest(`unknown form ${JSON.stringify(text)}`);
    const renderer = renderers.of(kind, form, subresource);
    const id = `${number}:${kind.apiVersion}/${kind.plural}/${subresource};${text}`;
    const isPlain = text === "" && subresource === "" && kind.conversion === undefined;
    return isPlain
      ? storedRendition(id, kind, { renderer, hotLists })
      : madeRendition(id, renderer, {
          ...{ wallClock: options.wallClock, hot, timeless: form.as !== "Table", pieces: id },
          ...partsOf(form, renderer),
          elsewhere: elsewhereOf(options, { kind, form, text, subresource }),
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
      const known = forms.byForm.get(key) ?? make(kind, forms, { text: form, subresource: shown });
      forms.byForm.set(key, known);
      return known;
    },
    forget() {
      hot.clear();
      hotLists.forget();
    },
  };
}

/** What is kept of a kind, for as long as there is the kind. */
interface Forms {
  /** No other kind has had it, nor an earlier state of this one: what is kept of its objects is kept under this. */
  readonly number: number;
  readonly byForm: Map<string, Rendition>;
}

function partsOf(form: Form, renderer: Renderer): Pick<Making, "parsed" | "spliced"> {
  if (form.as !== "PartialObjectMetadata") return { parsed: parsedWhole, spliced: undefined };
  return { parsed: parsedMetadata, spliced: isSpliced(form) ? splicedMetadata(renderer) : undefined };
}

/** JSON of the metadata alone has the bytes that the whole has. */
function isSpliced({ as, encoding }: Form): boolean {
  return as === "PartialObjectMetadata" && encoding === "json";
}

/** `{"metadata":…}` around the metadata's own bytes, as the renderer writes it around another's. */
function splicedMetadata(renderer: Renderer): (object: CachedObject) => Piece {
  const name = "sample";
  const metadata = JSON.stringify({ name });
  const sample = renderer.piece({ metadata: { name } }).at(0);
  const at = sample.indexOf(metadata);
  const [head, tail] = [sample.subarray(0, at), sample.subarray(at + metadata.length)];
  return (object) => {
    const bytes = Buffer.concat([head, metadataBytes(object), tail]);
    return { at: () => bytes, size: bytes.length };
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
    made: false,
    document: (object) => shown(object).bytes,
    list: (list, memory) => {
      const { head, tail } = renderer.list(listMetadata(list), []);
      return hotLists.chunks(id, list.items, { head, tail, ...itemParts(list.items) }, memory);
    },
    event,
    liveEvent: event,
    prepare: () => undefined,
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
  /** As much of an object as its pieces show. */
  readonly parsed: (object: CachedObject) => AnyObject;
  /** Pieces that are made of an object's bytes as they are. */
  readonly spliced: ((object: CachedObject) => Piece) | undefined;
  /** Undefined for what is made fast. */
  readonly elsewhere: ((object: CachedObject) => Promise<Buffer>) | undefined;
  /** Under which its pieces are kept; renditions of equal pieces share them. */
  readonly pieces: string;
  /** The last one that was made for a change: every interest that it concerns asks for it, one after the other. */
  latest: { readonly object: CachedObject; readonly piece: Piece } | undefined;
}

/** Ages are told in seconds at most. */
const ageMs = 1000;
/** Bytes that a kept piece takes besides its own: its key, what stands around its bytes, its place among the others. */
const keptOverhead = 600;

/** Everything else is made of the object when it is first asked for, and kept while it is hot. */
function madeRendition(id: string, renderer: Renderer, making: Making): Rendition {
  const { wallClock, hot, timeless, parsed, spliced } = making;
  const keyOf = (object: CachedObject): string => `${making.pieces}|${object.key}@${object.revision}`;
  const make = (object: CachedObject): Piece => spliced?.(object) ?? renderer.piece(parsed(object));
  const pieceOf = (object: CachedObject, made?: (bytes: number) => void): Piece => {
    const key = keyOf(object);
    const known = hot.get(key);
    if (known !== undefined) return known;
    const piece = make(object);
    made?.(object.size);
    hot.set(key, piece, { size: piece.size + keptOverhead });
    return piece;
  };
  const prepared = async (large: readonly CachedObject[], make: (object: CachedObject) => Promise<Buffer>) => {
    for (const object of large) {
      const madeAt = wallClock();
      const bytes = await make(object);
      // What tells ages is good for a second.
      const isGood = (now: number): boolean => timeless || Math.abs(now - madeAt) < ageMs;
      const at = (now: number): Buffer => (isGood(now) ? bytes : renderer.piece(parsed(object)).at(now));
      hot.set(keyOf(object), { at, size: bytes.length }, { size: bytes.length + keptOverhead });
    }
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
    const hub = parsed(object);
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
    made: true,
    document: (object) => renderer.document(pieceOf(object).at(wallClock()), String(object.revision)),
    list(list, memory = freshMemory) {
      const now = wallClock();
      const [metadata, { items }] = [listMetadata(list), list];
      if (isLarge(items)) {
        const piece: MadeList["piece"] = (item, made) => pieceOf(item, made).at(now);
        return madeChunks({ metadata, items, renderer, piece }, memory);
      }
      const pieces = items.map((item) => pieceOf(item).at(now));
      return sizedChunks(framedParts(renderer.list(metadata, pieces), pieces), memory);
    },
    prepare(objects) {
      const { elsewhere } = making;
      if (elsewhere === undefined) return undefined;
      let budget = hot.maxSize / 2;
      // Of more than are kept the first would be forgotten before they are asked for.
      const large = objects.filter((object) => {
        if (object.size < largeBytes || hot.has(keyOf(object))) return false;
        budget -= object.size;
        return budget > 0;
      });
      if (large.length === 0) return undefined;
      return prepared(large, elsewhere).catch(() => {});
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

/** Objects of so many bytes are made into a list in one turn, of a length that is known. */
const smallBytes = 256 * 1024;
const smallItems = 1024;

function isLarge(items: readonly CachedObject[]): boolean {
  if (items.length > smallItems) return true;
  let bytes = 0;
  for (const { size } of items) bytes += size;
  return bytes > smallBytes;
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
