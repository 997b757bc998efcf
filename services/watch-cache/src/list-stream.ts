import { promisify } from "node:util";
import { constants, createGzip, gzip } from "node:zlib";
import type { Chunk, ListRequest } from "@orch/rpc/messages.js";
import type { Sender } from "@orch/rpc/rpc.js";
import { ApiError } from "@orch/status/api-error.js";
import { LRUCache } from "lru-cache";
import { createReusedMemory, freshMemory } from "./chunk-memory.js";
import { type ListDeps, list } from "./list.js";
import { chunkBytes, type ListBody, type SizedChunks } from "./list-body.js";
import type { Asked } from "./readable.js";

export interface ListCall {
  readonly request: ListRequest;
  readonly sender: Sender<Chunk>;
}

export interface ListStream {
  send(asked: Asked, call: ListCall): Promise<void>;
  /** Bodies of a history that is over. */
  forget(): void;
}

/** Bodies below this are not worth it, as in the reference. */
const gzipFrom = 128 * 1024;
/** A body up to this is compressed whole, once for all who ask for it; a larger one as it is sent. */
const wholeUpTo = 16 * 1024 * 1024;
/** Of chunks that are used again. */
const reusedBytes = 16 * 1024 * 1024;
/** That a message can tell. */
const largestLength = 0xffff_ffff;
const options = { level: constants.Z_BEST_SPEED };
const compress = promisify<Buffer, typeof options, Buffer>(gzip);

/** Sends lists as their receivers take them; gzipped where the client takes that and the list is large. */
export function createListStream(deps: ListDeps, keptBytes: number): ListStream {
  const kept = new LRUCache<string, Buffer>({ maxSize: keptBytes, sizeCalculation: (body) => body.length });
  const memory = createReusedMemory({ pieceBytes: chunkBytes, maxBytes: reusedBytes });
  const underWay = new Map<string, Promise<Buffer>>();

  const zippedOnce = async (key: string, make: () => SizedChunks): Promise<Buffer> => {
    const known = kept.get(key) ?? underWay.get(key);
    if (known !== undefined) return known;
    const made = compress(Buffer.concat([...make().chunks]), options);
    underWay.set(key, made);
    try {
      const body = await made;
      kept.set(key, body);
      return body;
    } finally {
      underWay.delete(key);
    }
  };

  return {
    async send({ readable, rendition }, { request, sender }) {
      const body = await list(deps, readable, request);
      // Made where it is sent: what is kept zipped is not made again.
      const make = (): SizedChunks => rendition.list(body);
      const plain = (): SizedChunks => rendition.list(body, memory);
      const size = request.gzip ? sizeOf(body) : 0;
      if (size < gzipFrom) pump(plain(), sender);
      else if (size > wholeUpTo || !rendition.timeless) pumpZipped(make().chunks, sender);
      else pump(pieces(await zippedOnce(keyOf(rendition.id, request, body), make)), sender);
    },
    forget() {
      kept.clear();
      underWay.clear();
    },
  };
}

function sizeOf({ items }: ListBody): number {
  let size = 0;
  for (const item of items) size += item.size;
  return size;
}

/** Equal for requests of equal bodies. */
function keyOf(rendition: string, request: ListRequest, { resourceVersion }: ListBody): string {
  const { namespace, labelSelector, fieldSelector, limit, continueToken } = request;
  return [rendition, namespace, labelSelector, fieldSelector, limit, continueToken, resourceVersion].join("\n");
}

function pieces(body: Buffer): SizedChunks {
  return { bytes: body.length, chunks: cut(body), memory: freshMemory };
}

function* cut(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += chunkBytes) yield body.subarray(at, at + chunkBytes);
}

function pump({ bytes, chunks, memory }: SizedChunks, sender: Sender<Chunk>): void {
  let length: number | undefined = bytes <= largestLength ? bytes : undefined;
  const more = (): void => {
    if (sender.cancelled) return;
    // Not for…of: leaving it early would end the generator.
    for (let step = chunks.next(); step.done !== true; step = chunks.next()) {
      // `onDrain` brings us back.
      const body = step.value;
      const release = (): void => memory.giveBack(body);
      const chunk = length === undefined ? { body, release } : { body, release, length };
      length = undefined;
      if (!sender.send(chunk)) return;
    }
    sender.end();
  };
  sender.onDrain(more);
  more();
}

function pumpZipped(chunks: SizedChunks["chunks"], sender: Sender<Chunk>): void {
  const zip = createGzip({ ...options, chunkSize: chunkBytes });
  const feed = (): void => {
    for (let step = chunks.next(); step.done !== true; step = chunks.next()) {
      if (!zip.write(step.value)) return;
    }
    zip.end();
  };
  zip.on("drain", feed);
  zip.on("data", (body: Buffer) => {
    if (!sender.send({ body })) zip.pause();
  });
  zip.once("end", () => sender.end());
  zip.once("error", (error) => sender.end(ApiError.from(error)));
  sender.onDrain(() => zip.resume());
  sender.onCancel(() => zip.destroy());
  feed();
}
