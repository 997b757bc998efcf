import type { ItemsSize } from "@orch/render/framing.js";
import type { ListMetadata, Renderer } from "@orch/render/renderer.js";
import { type ChunkMemory, freshMemory } from "@orch/status/chunk-memory.js";
import type { CachedObject } from "../object.js";
import type { Keep } from "./hot-lists.js";
import { chunkBytes, type SizedChunks } from "./list-body.js";

/** A list whose items are made of objects. */
export interface MadeList {
  readonly metadata: ListMetadata;
  readonly items: readonly CachedObject[];
  readonly renderer: Renderer;
  /** The object's bytes in the form of the list, equal each time. `made` is told of those that are not there already. */
  readonly piece: (object: CachedObject, made: (bytes: number) => void) => Buffer;
  /** Where the whole is to be kept, if it is. */
  readonly keep: Keep | undefined;
  /** Until when the pieces that were given stay the same, in milliseconds. */
  readonly until: () => number;
}

/** Bytes of objects that one step makes into pieces, and how many pieces it looks up that are there. */
const [stepBytes, stepItems] = [128 * 1024, 512];
/** Pieces whose lengths had to be known first are kept up to this until they are sent, else made again. */
const keptBytes = 4 * 1024 * 1024;

const none = Buffer.alloc(0);

/**
 * A large list that is made while it is sent, step by step; an empty chunk is a step that made nothing to send yet. Its
 * length is not known before.
 */
export function madeChunks(list: MadeList, reused: ChunkMemory): SizedChunks {
  // What is kept is never written to again: it must not be given back to be used for something else.
  const memory = list.keep === undefined ? reused : freshMemory;
  let work = 0;
  const made = (bytes: number): void => {
    work += bytes;
  };
  const making: Making = {
    ...list,
    memory,
    pieceOf: (object) => list.piece(object, made),
    isStep: () => work >= stepBytes,
  };
  const takeWork = (): number => {
    const taken = work;
    work = 0;
    return taken;
  };
  return { bytes: undefined, chunks: steps(making), memory, takeWork };
}

interface Making extends MadeList {
  readonly memory: ChunkMemory;
  readonly pieceOf: (object: CachedObject) => Buffer;
  readonly isStep: () => boolean;
}

function* steps(making: Making): Generator<Buffer> {
  const { items, renderer } = making;
  const count = items.length;
  if (!renderer.sized) {
    yield* sent(making, { count, bytes: 0 }, undefined);
    return;
  }
  let kept: Buffer[] | undefined = [];
  let [bytes, done] = [0, 0];
  for (const item of items) {
    const piece = making.pieceOf(item);
    bytes += renderer.itemSize(piece.length);
    if (bytes > keptBytes) kept = undefined;
    kept?.push(piece);
    if (making.isStep() || ++done % stepItems === 0) yield none;
  }
  yield* sent(making, { count, bytes }, kept);
}

function* sent(making: Making, size: ItemsSize, kept: readonly Buffer[] | undefined): Generator<Buffer> {
  const { renderer, metadata, items } = making;
  const frame = renderer.list(metadata, size);
  const chunks = chunksOf(making);
  // What is kept is without the head, which another list of the same items has not.
  if (chunks.isKept()) yield frame.head;
  let parts: Buffer[] = chunks.isKept() ? [] : [frame.head];
  let bytes = parts[0]?.length ?? 0;
  const chunk = (): Buffer => {
    const joined = chunks.joined(parts, bytes);
    parts = [];
    bytes = 0;
    return joined;
  };
  for (const [i, item] of items.entries()) {
    const piece = kept?.[i] ?? making.pieceOf(item);
    const before = frame.before(i, piece);
    const more = before.length + piece.length;
    // A piece larger than a chunk makes one of its own.
    if (bytes > 0 && bytes + more > chunkBytes) yield chunk();
    parts.push(before, piece);
    bytes += more;
    if (making.isStep()) yield chunk();
  }
  parts.push(frame.tail);
  bytes += frame.tail.length;
  const last = chunk();
  chunks.end(frame.tail.length);
  yield last;
}

interface Chunks {
  isKept(): boolean;
  /** The parts, which have so many bytes, in memory of their own. */
  joined(parts: readonly Buffer[], bytes: number): Buffer;
  /** After the last chunk, which ends with the list's tail. */
  end(tailBytes: number): void;
}

/** Chunks of a list, kept until its end where all of it is to be kept. */
function chunksOf({ memory, keep, until }: Making): Chunks {
  let kept: Buffer[] | undefined = keep && [];
  let keptBytes = 0;
  return {
    isKept: () => kept !== undefined,
    joined(parts, bytes) {
      keptBytes += bytes;
      if (keep !== undefined && kept !== undefined && keptBytes > keep.mostBytes) {
        keep.tooLarge();
        kept = undefined;
      }
      const chunk = memory.take(bytes);
      let at = 0;
      for (const part of parts) at += part.copy(chunk, at);
      kept?.push(chunk);
      return chunk;
    },
    end(tailBytes) {
      if (kept !== undefined) keep?.joined({ type: "joined", chunks: kept, bytes: keptBytes, tailBytes }, until());
    },
  };
}
