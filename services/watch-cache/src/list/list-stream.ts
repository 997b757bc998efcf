import { promisify } from "node:util";
import { constants, createGzip, gzip } from "node:zlib";
import type { Chunk, ListRequest } from "@orch/rpc/messages.js";
import type { Pacer } from "@orch/rpc/pacer.js";
import type { Sender } from "@orch/rpc/rpc.js";
import { ApiError } from "@orch/status/api-error.js";
import { createReusedMemory } from "@orch/status/chunk-memory.js";
import { LRUCache } from "lru-cache";
import type { WatchCacheConfig } from "../config.js";
import type { Asked } from "../readable.js";
import { seenId } from "../selector.js";
import { createBodyNames } from "./body-names.js";
import { joinedList } from "./hot-lists.js";
import { type ListDeps, list } from "./list.js";
import { chunkBytes, type Joined, type ListBody, type SizedChunks } from "./list-body.js";
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
/** The bytes with which gzip begins. */
const gzipHeadBytes = 10;
/** A body up to this is compressed whole, once for all who ask for it; a larger one as it is sent. */
const wholeUpTo = 16 * 1024 * 1024;
/** Of chunks that are used again. */
const reusedBytes = 16 * 1024 * 1024;
/** That a message can tell. */
const largestLength = 0xffff_ffff;
const options = { level: constants.Z_BEST_SPEED };
const compress = promisify<Buffer, typeof options, Buffer>(gzip);

/** Sends lists as their receivers take them; gzipped where the client takes that and the list is large. */
export function createListStream(
  deps: ListDeps & { readonly pacer: Pacer },
  { gzipBytes, namesBodies }: Pick<WatchCacheConfig, "gzipBytes" | "namesBodies">,
): ListStream {
  const { pacer } = deps;
  const kept = new LRUCache<string, Zipped>({ maxSize: gzipBytes, sizeCalculation: ({ rest }) => rest.bytes });
  const memory = createReusedMemory({ pieceBytes: chunkBytes, maxBytes: reusedBytes });
  const underWay = new Map<string, Promise<Zipped>>();
  const names = namesBodies ? createBodyNames() : undefined;

  const zippedOnce = async (key: string, make: () => SizedChunks): Promise<Zipped> => {
    const known = kept.get(key) ?? underWay.get(key);
    if (known !== undefined) return known;
    const made = joined(make(), pacer)
      .then((body) => compress(body, options))
      .then(zippedOf);
    underWay.set(key, made);
    try {
      const body = await made;
      kept.set(key, body);
      return body;
    } finally {
      underWay.delete(key);
    }
  };

  const zipped = async (key: string, make: () => SizedChunks): Promise<SizedChunks> => {
    const { head, rest } = await zippedOnce(key, make);
    return joinedList(head, rest);
  };
  /** A body for who keeps them, without what is kept. */
  const named = (body: SizedChunks, kept: string): NamedChunks => {
    const name = names?.of(body) ?? "";
    if (name === "") return body;
    return { ...body, name, chunks: name === kept ? firstOf(body.chunks) : body.chunks };
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
      if (size > wholeUpTo || (size >= gzipFrom && !rendition.timeless)) return pumpZipped(make(), sender, pacer);
      const chunks = size < gzipFrom ? plain() : await zipped(keyOf(rendition.id, request, body), make);
      pump(request.kept === undefined ? chunks : named(chunks, request.kept), sender, pacer);
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

interface Zipped {
  readonly head: Buffer;
  readonly rest: Joined;
}

function zippedOf(body: Buffer): Zipped {
  const chunks = [...cut(body.subarray(gzipHeadBytes))];
  return {
    head: body.subarray(0, gzipHeadBytes),
    rest: { type: "joined", chunks, bytes: body.length - gzipHeadBytes, tailBytes: 0 },
  };
}

function* cut(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += chunkBytes) yield body.subarray(at, at + chunkBytes);
}

interface NamedChunks extends SizedChunks {
  /** Of what stands behind the first chunk. */
  readonly name?: string;
}

function* firstOf<T>(all: Iterable<T>): Generator<T> {
  for (const one of all) {
    yield one;
    return;
  }
}

function pump(chunks: NamedChunks, sender: Sender<Chunk>, pacer: Pacer): void {
  const { bytes, memory, name } = chunks;
  let length = bytes !== undefined && bytes <= largestLength ? bytes : undefined;
  const steps = stepsOf(chunks, pacer, {
    wants: () => !sender.cancelled,
    // `onDrain` brings us back.
    take(body) {
      const release = (): void => memory.giveBack(body);
      if (length === undefined) return sender.send({ body, release });
      const first = { body, release, length };
      length = undefined;
      return sender.send(name === undefined ? first : { ...first, rest: name });
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
