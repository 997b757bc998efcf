import type { AnyObject } from "@orch/api/object.js";
import type { EventType } from "@orch/cache/change.js";
import { itemsSize, type ListFrame } from "@orch/render/framing.js";
import type { Piece, Renderer } from "@orch/render/renderer.js";
import { freshMemory } from "@orch/status/chunk-memory.js";
import type { LRUCache } from "lru-cache";
import { type HotLists, join, joinedList } from "../list/hot-lists.js";
import { type Joined, type ListBody, listMetadata, type SizedChunks, sizedChunks } from "../list/list-body.js";
import { madeChunks } from "../list/made-list.js";
import type { CachedObject } from "../object.js";
import type { CustomVersion } from "./custom-version.js";
import { type Rendition, signals } from "./rendition.js";

/** What is made of an object's bytes as they are. */
export interface Spliced {
  piece(object: CachedObject): Piece;
  /** An event of the object as it is; absent where it is made of the piece. */
  readonly event?: (type: EventType, object: CachedObject) => Buffer;
}

/** From which on an object's piece is made in a thread: 5 to 10 ms of work. */
export const largeBytes = 96 << 10;

/** How pieces are made of objects. */
export interface Making {
  readonly wallClock: () => number;
  readonly hot: LRUCache<string, Piece>;
  readonly hotLists: HotLists;
  readonly timeless: boolean;
  /** As much of an object as its pieces show. */
  readonly parsed: (object: CachedObject) => AnyObject;
  readonly spliced: Spliced | undefined;
  /** Undefined where no webhook converts objects. */
  readonly version: CustomVersion | undefined;
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
export function madeRendition(id: string, renderer: Renderer, making: Making): Rendition {
  const { wallClock, hot, hotLists, timeless, parsed, spliced } = making;
  const keyOf = (object: CachedObject): string => `${making.pieces}|${object.key}@${object.revision}`;
  const make = (object: CachedObject): Piece => spliced?.piece(object) ?? renderer.piece(parsed(object));
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
      const piece = { at, size: bytes.length, ...(timeless ? {} : { until: madeAt + ageMs }) };
      hot.set(keyOf(object), piece, { size: bytes.length + keptOverhead });
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
  const liveEventOf = (ofBytes: Spliced["event"]): Rendition["event"] => {
    const event = eventWith(livePieceOf);
    if (ofBytes === undefined) return event;
    return (type, object, revision) =>
      revision === object.revision ? ofBytes(type, object) : event(type, object, revision);
  };
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
      const seen = hotLists.seen(id, items, now);
      if (seen.type === "joined") return joinedBody(renderer, list, seen);
      const keep = seen.type === "again" ? seen.keep : undefined;
      let until = Number.POSITIVE_INFINITY;
      const pieceNow = (item: CachedObject, made?: (bytes: number) => void): Buffer => {
        const piece = pieceOf(item, made);
        const bytes = piece.at(now);
        if (piece.until !== undefined) until = Math.min(until, piece.until);
        return bytes;
      };
      if (isLarge(items)) {
        return madeChunks({ metadata, items, renderer, piece: pieceNow, keep, until: () => until }, memory);
      }
      const pieces = items.map((item) => pieceNow(item));
      const parts = framedParts(renderer.list(metadata, itemsSize(renderer, pieces)), pieces);
      const joined = keep === undefined ? seen : join(parts, keep, until);
      return joined.type === "joined" ? joinedList(parts.head, joined) : sizedChunks(parts, memory);
    },
    prepare(objects, span) {
      const { elsewhere, version } = making;
      if (version !== undefined) {
        return version
          .prepare(objects, span)
          ?.then((ready) =>
            madeRendition(id, renderer, { ...making, version: ready, parsed: ready.parsed, latest: undefined }),
          );
      }
      if (elsewhere === undefined) return undefined;
      let budget = hot.maxSize / 2;
      // Of more than are kept the first would be forgotten before they are asked for.
      const large = objects.filter((object) => {
        if (object.size < largeBytes || hot.has(keyOf(object))) return false;
        budget -= object.size;
        return budget > 0;
      });
      if (large.length === 0) return undefined;
      return prepared(large, elsewhere)
        .catch(() => {})
        .then(() => rendition);
    },
    asks: making.version !== undefined,
    event: eventWith(pieceOf),
    liveEvent: liveEventOf(spliced?.event),
    ...signals(renderer),
    get following() {
      return next ?? rendition;
    },
  };
  return rendition;
}

/** Items that are joined already, behind a head of their own: it tells the newest revision. */
function joinedBody(renderer: Renderer, list: ListBody, joined: Joined): SizedChunks {
  const size = { count: list.items.length, bytes: joined.bytes - joined.tailBytes };
  return joinedList(renderer.list(listMetadata(list), size).head, joined);
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
