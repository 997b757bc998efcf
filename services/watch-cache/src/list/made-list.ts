import type { ChunkMemory } from "@orch/codec/chunk-memory.js";
import type { Sized } from "@orch/render/framing.js";
import type { ListMetadata, Renderer } from "@orch/render/renderer.js";
import type { CachedObject } from "../object.js";
import { chunkBytes, type SizedChunks } from "./list-body.js";

/** A list whose items are made of objects. */
export interface MadeList {
  readonly metadata: ListMetadata;
  readonly items: readonly CachedObject[];
  readonly renderer: Renderer;
  /** The object's bytes in the form of the list, equal each time. `made` is told of those that are not there already. */
  readonly piece: (object: CachedObject, made: (bytes: number) => void) => Buffer;
}

/** Bytes of objects that one step makes into pieces, and how many pieces it looks up that are there. */
const [stepBytes, stepItems] = [128 * 1024, 512];
/** Pieces whose lengths had to be known first are kept up to this until they are sent, else made again. */
const keptBytes = 4 * 1024 * 1024;

const none = Buffer.alloc(0);
const unknown: Sized = { length: 0 };

/**
 * A large list that is made while it is sent, step by step; an empty chunk is a step that made nothing to send yet. Its
 * length is not known before.
 */
export function madeChunks(list: MadeList, memory: ChunkMemory): SizedChunks {
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
  if (!renderer.sized) {
    yield* sent(
      making,
      items.map(() => unknown),
      undefined,
    );
    return;
  }
  const sizes: Sized[] = [];
  let kept: Buffer[] | undefined = [];
  let bytes = 0;
  for (const item of items) {
    const piece = making.pieceOf(item);
    sizes.push({ length: piece.length });
    bytes += piece.length;
    if (bytes > keptBytes) kept = undefined;
    kept?.push(piece);
    if (making.isStep() || sizes.length % stepItems === 0) yield none;
  }
  yield* sent(making, sizes, kept);
}

function* sent(making: Making, sizes: readonly Sized[], kept: readonly Buffer[] | undefined): Generator<Buffer> {
  const { renderer, metadata, items, memory } = making;
  const frame = renderer.list(metadata, sizes);
  let parts: Buffer[] = [frame.head];
  let bytes = frame.head.length;
  const chunk = (): Buffer => {
    const joined = memory.take(bytes);
    let at = 0;
    for (const part of parts) at += part.copy(joined, at);
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
  yield chunk();
}
