import { promisify } from "node:util";
import { constants, createGzip, gzip } from "node:zlib";
import type { Chunk, ListRequest } from "@orch/rpc/messages.js";
import type { Pacer } from "@orch/rpc/pacer.js";
import type { Sender } from "@orch/rpc/rpc.js";
import { ApiError } from "@orch/status/api-error.js";
import { createReusedMemory, freshMemory } from "@orch/status/chunk-memory.js";
import { LRUCache } from "lru-cache";
import type { Asked } from "../readable.js";
import { seenId } from "../selector.js";
import { type ListDeps, list } from "./list.js";
import { chunkBytes, type ListBody, type SizedChunks } from "./list-body.js";
import { joined, stepsOf } from "./list-steps.js";
import { listTraced } from "./list-traced.js";

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
export function createListStream(deps: ListDeps & { readonly pacer: Pacer }, keptBytes: number): ListStream {
  const { pacer } = deps;
  const kept = new LRUCache<string, Buffer>({ maxSize: keptBytes, sizeCalculation: (body) => body.length });
  const memory = createReusedMemory({ pieceBytes: chunkBytes, maxBytes: reusedBytes });
  const underWay = new Map<string, Promise<Buffer>>();

  const zippedOnce = async (key: string, make: () => SizedChunks): Promise<Buffer> => {
    const known = kept.get(key) ?? underWay.get(key);
    if (known !== undefined) return known;
    const made = joined(make(), pacer).then((body) => compress(body, options));
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
    async send({ readable, rendition: asked }, { request, sender }) {
      const { span } = sender;
      const body = await (span === undefined
        ? list(deps, readable, request)
        : listTraced(span, { readable, request }, (told) => list(deps, readable, request, told)));
      const rendition = (await asked.prepare(body.items, span)) ?? asked;
      // Made where it is sent: what is kept zipped is not made again.
      const make = (): SizedChunks => rendition.list(body);
      const plain = (): SizedChunks => rendition.list(body, memory);
      const size = request.gzip ? sizeOf(body) : 0;
      if (size < gzipFrom) pump(plain(), sender, pacer);
      else if (size > wholeUpTo || !rendition.timeless) pumpZipped(make(), sender, pacer);
      else pump(pieces(await zippedOnce(keyOf(rendition.id, request, body), make)), sender, pacer);
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
  const { namespace, labelSelector, fieldSelector, limit, continueToken, permitted, sort } = request;
  const seen = permitted === undefined ? "" : seenId(permitted);
  return [rendition, namespace, labelSelector, fieldSelector, limit, continueToken, resourceVersion, seen, sort].join(
    "\n",
  );
}

function pieces(body: Buffer): SizedChunks {
  return { bytes: body.length, chunks: cut(body), memory: freshMemory };
}

function* cut(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += chunkBytes) yield body.subarray(at, at + chunkBytes);
}

function pump(chunks: SizedChunks, sender: Sender<Chunk>, pacer: Pacer): void {
  const { bytes, memory } = chunks;
  let length = bytes !== undefined && bytes <= largestLength ? bytes : undefined;
  const steps = stepsOf(chunks, pacer, {
    wants: () => !sender.cancelled,
    // `onDrain` brings us back.
    take(body) {
      const release = (): void => memory.giveBack(body);
      const chunk = length === undefined ? { body, release } : { body, release, length };
      length = undefined;
      return sender.send(chunk);
    },
    end: (error) => sender.end(error),
  });
  sender.onDrain(steps.goOn);
  steps.goOn();
}

function pumpZipped(chunks: SizedChunks, sender: Sender<Chunk>, pacer: Pacer): void {
  const zip = createGzip({ ...options, chunkSize: chunkBytes });
  const steps = stepsOf(chunks, pacer, {
    wants: () => !sender.cancelled,
    take: (chunk) => zip.write(chunk),
    end: (error) => (error === undefined ? zip.end() : zip.destroy(error)),
  });
  zip.on("drain", steps.goOn);
  zip.on("data", (body: Buffer) => {
    if (!sender.send({ body })) zip.pause();
  });
  zip.once("end", () => sender.end());
  zip.once("error", (error) => sender.end(ApiError.from(error)));
  sender.onDrain(() => zip.resume());
  sender.onCancel(() => zip.destroy());
  steps.goOn();
}
