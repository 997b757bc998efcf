import type { ListMetadata } from "@orch/render/renderer.js";
import { type ChunkMemory, freshMemory } from "@orch/status/chunk-memory.js";
import type { CachedObject } from "../object.js";

export interface ListBody {
  readonly resourceVersion: number;
  readonly items: readonly CachedObject[];
  /** "" on the last chunk. */
  readonly continueToken: string;
  readonly remainingItemCount: number | undefined;
}

/** The list's metadata as clients read it (rules: Collection response). */
export function listMetadata(list: ListBody): ListMetadata {
  return {
    resourceVersion: String(list.resourceVersion),
    ...(list.continueToken === "" ? {} : { continue: list.continueToken }),
    ...(list.remainingItemCount === undefined ? {} : { remainingItemCount: list.remainingItemCount }),
  };
}

/** A body that is written part by part: a head, some parts that write themselves, a tail. */
export interface Parts {
  readonly head: Buffer;
  readonly count: number;
  /** Bytes of a part. */
  size(index: number): number;
  /** Writes a part and returns the position behind it. */
  copy(index: number, into: Buffer, at: number): number;
  readonly tail: Buffer;
}

/** Bytes of one chunk; a part larger than this makes a chunk of its own. */
export const chunkBytes = 128 * 1024;

/** All of a list but its head, joined: nobody writes to the chunks any more. */
export interface Joined {
  readonly type: "joined";
  readonly chunks: readonly Buffer[];
  readonly bytes: number;
  /** Of its tail alone. */
  readonly tailBytes: number;
}

/** A body that is made as it is taken, and how many bytes it will have where that is known. */
export interface SizedChunks {
  readonly bytes: number | undefined;
  readonly chunks: IterableIterator<Buffer>;
  /** Where the chunks' memory goes back to. */
  readonly memory: ChunkMemory;
  /** Bytes that were read to make the chunks since it was asked last; where chunks cost more than to copy them together. */
  readonly takeWork?: () => number;
  /** What stands behind the first chunk, where that is kept as it is. */
  readonly rest?: Joined;
}

export function sizedChunks(parts: Parts, memory: ChunkMemory = freshMemory): SizedChunks & { readonly bytes: number } {
  let bytes = parts.head.length + parts.tail.length;
  for (let i = 0; i < parts.count; i++) bytes += parts.size(i);
  return { bytes, chunks: chunksOf(parts, memory), memory };
}

/** The body in chunks that are made one at a time, as the receiver takes them; all but the last in `memory`. */
function* chunksOf({ head, count, size, copy, tail }: Parts, memory: ChunkMemory): Generator<Buffer> {
  let begin: Buffer | undefined = head;
  let next = 0;
  for (;;) {
    let bytes = begin?.length ?? 0;
    let end = next;
    for (; end < count; end++) {
      const more = size(end);
      if (bytes > 0 && bytes + more > chunkBytes) break;
      bytes += more;
    }
    const last = end === count;
    // The last one is small, or all there is.
    const chunk = last ? freshMemory.take(bytes + tail.length) : memory.take(bytes);
    let at = begin?.copy(chunk, 0) ?? 0;
    begin = undefined;
    for (; next < end; next++) at = copy(next, chunk, at);
    if (last) tail.copy(chunk, at);
    yield chunk;
    if (last) return;
  }
}
