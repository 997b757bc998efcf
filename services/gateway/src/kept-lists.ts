import type { Chunk, ListRequest } from "@orch/rpc/messages.js";
import { watchCacheList } from "@orch/rpc/methods.js";
import type { Caller, CallOptions, Receiver, Subscription } from "@orch/rpc/rpc.js";
import type { Metrics } from "@orch/runtime/metrics.js";
import { LRUCache } from "lru-cache";

/** Opens a list of a watch cache. */
export type OpenList = (request: ListRequest, receiver: Receiver<Chunk>, options: CallOptions) => Subscription;

/** The watch cache that answers for a group. */
type CacheOf = (group: string) => Caller;

/** All of a body but its first chunk. */
interface Kept {
  readonly name: string;
  readonly chunks: readonly Buffer[];
  readonly bytes: number;
}

/** Of all bodies, and twice what one may have. */
const maxBytes = 32 * 1024 * 1024;
const mostBytes = maxBytes / 2;
/** After the last question, as a watch cache forgets what it joined. */
const forgetAfterMs = 10_000;

/** Lists as watch caches answer them. */
export function listsOf(caches: CacheOf): OpenList {
  return (request, receiver, options) => caches(request.group).open(watchCacheList, request, receiver, options);
}

/** Counts what kept lists spare. */
export function createKeptListMetric(metrics: Metrics): (bytes: number) => void {
  const bytes = metrics
    .counter({
      name: "orch_gateway_kept_list_bytes_total",
      help: "Bytes of lists that a watch cache did not send again, since this gateway had kept them.",
      stability: "ALPHA",
      labels: [],
    })
    .with({});
  return (spared) => bytes.inc(spared);
}

/**
 * Lists of watch caches in other processes. Of a list that is asked for again while nothing in it changes a watch cache sends the head
 * alone, with the name of the rest; the rest is kept here. Rights are judged before, and what the list holds by the watch cache, each time.
 * `spared` is called with the bytes that were not sent.
 */
export function createKeptLists(caches: CacheOf, spared: (bytes: number) => void): OpenList {
  const kept = new LRUCache<string, Kept>({
    maxSize: maxBytes,
    maxEntrySize: mostBytes,
    sizeCalculation: ({ bytes }, key) => bytes + key.length,
    ttl: forgetAfterMs,
    updateAgeOnGet: true,
    ttlAutopurge: true,
  });
  /** Bodies of which a copy is being made: one for all who get them at once. */
  const underWay = new Set<string>();
  return (request, receiver, options) => {
    const key = keyOf(request);
    const known = kept.get(key);
    const played = createPlayed(receiver);
    let copy: Copy | undefined;
    const asked = { ...request, kept: known?.name ?? "" };
    const stream = caches(request.group).open(
      watchCacheList,
      asked,
      {
        message(chunk) {
          const { rest = "", length = 0, body } = chunk;
          if (rest !== "" && rest === known?.name) {
            spared(known.bytes);
            receiver.message(chunk);
            played.begin(known.chunks);
            return;
          }
          const bytes = length - body.length;
          if (rest !== "" && bytes <= mostBytes && !underWay.has(rest)) {
            underWay.add(rest);
            copy = { name: rest, chunks: [], bytes, left: bytes };
          } else if (copy !== undefined) add(copy, body);
          receiver.message(chunk);
        },
        end(error) {
          if (copy !== undefined) underWay.delete(copy.name);
          if (copy !== undefined && error === undefined && copy.left === 0) kept.set(key, copy);
          if (!played.begun) receiver.end(error);
        },
      },
      options,
    );
    return {
      cancel() {
        if (copy !== undefined) underWay.delete(copy.name);
        played.cancel();
        stream.cancel();
      },
      pause() {
        played.pause();
        stream.pause();
      },
      resume() {
        stream.resume();
        played.resume();
      },
    };
  };
}

/** A body that comes, of which a copy is made. */
interface Copy extends Kept {
  readonly chunks: Buffer[];
  /** Bytes that are still to come. */
  left: number;
}

function add(copy: Copy, body: Buffer): void {
  copy.chunks.push(Buffer.from(body));
  copy.left -= body.length;
}

/** Chunks that are here already, as their receiver takes them. */
function createPlayed(receiver: Receiver<Chunk>) {
  let chunks: readonly Buffer[] | undefined;
  let next = 0;
  let paused = false;
  let over = false;
  const play = (): void => {
    if (chunks === undefined) return;
    while (!paused && !over) {
      const body = chunks[next++];
      if (body === undefined) {
        over = true;
        receiver.end();
      } else receiver.message({ body });
    }
  };
  return {
    get begun(): boolean {
      return chunks !== undefined;
    },
    begin(all: readonly Buffer[]): void {
      chunks = all;
      play();
    },
    pause(): void {
      paused = true;
    },
    resume(): void {
      paused = false;
      play();
    },
    cancel(): void {
      over = true;
    },
  };
}

/** Equal for requests of equal lists, but for the revision that they ask for. What it says wrongly costs a copy, no more: bodies have names. */
function keyOf(request: ListRequest): string {
  const { group, version, resource, namespace, labelSelector, fieldSelector, form, gzip } = request;
  const { limit, continueToken, sort, permitted } = request;
  return JSON.stringify([
    ...[group, version, resource, namespace, labelSelector, fieldSelector, form, gzip],
    ...[limit, continueToken, sort, permitted?.namespaces],
  ]);
}
