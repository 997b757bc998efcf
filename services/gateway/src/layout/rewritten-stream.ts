import type { Rewriter } from "@orch/codec/rewrite/rewriter.js";
import type { Chunk } from "@orch/rpc/messages.js";
import type { Pacer } from "@orch/rpc/pacer.js";
import type { Receiver, Subscription } from "@orch/rpc/rpc.js";
import type { ApiError } from "@orch/status/api-error.js";
import type { ChunkMemory } from "@orch/status/chunk-memory.js";
import type { OpenStream } from "../relay.js";

/** What it takes to write one stream anew. */
export interface Rewriting {
  readonly rewriter: Rewriter;
  /** Where the rewriter's slices go back to. */
  readonly memory: ChunkMemory;
  readonly pacer: Pacer;
}

/**
 * The same stream with its body written anew. A chunk is held until its last slice is taken; the next one comes after
 * that, so that a receiver which takes nothing keeps a chunk and a slice. A body that is all in one chunk, and small,
 * stays so.
 */
export function rewrittenStream(open: OpenStream, begin: () => Rewriting): OpenStream {
  return (receiver) => {
    const stream = new RewrittenStream(receiver, begin());
    return stream.begin(open(stream));
  };
}

class RewrittenStream implements Receiver<Chunk>, Subscription {
  readonly #to: Receiver<Chunk>;
  readonly #rewriting: Rewriting;
  #source: Subscription | undefined;
  /** The first of them is being written anew; a transport may deliver a window of more after `pause`. */
  #chunks: Chunk[] = [];
  #begun = false;
  #wanted = true;
  /** A slice has its turn to come. */
  #waiting = false;
  /** The source has no more. */
  #ended = false;
  #over = false;

  constructor(to: Receiver<Chunk>, rewriting: Rewriting) {
    this.#to = to;
    this.#rewriting = rewriting;
  }

  begin(source: Subscription): Subscription {
    this.#source = source;
    return this;
  }

  message(chunk: Chunk): void {
    if (this.#over) return;
    this.#chunks.push(chunk);
    this.#source?.pause();
    if (this.#chunks.length > 1) return;
    this.#rewriting.rewriter.feed(chunk.body);
    if (this.#begun) this.#goOn();
    else this.#slice();
  }

  end(error?: ApiError): void {
    if (this.#over) return;
    this.#ended = true;
    if (error === undefined && this.#chunks.length > 0) return;
    this.#over = true;
    this.#chunks = [];
    this.#to.end(error);
  }

  pause(): void {
    this.#wanted = false;
    this.#source?.pause();
  }

  resume(): void {
    this.#wanted = true;
    this.#goOn();
  }

  cancel(): void {
    this.#over = true;
    this.#chunks = [];
    this.#source?.cancel();
  }

  #goOn(): void {
    if (this.#over || this.#waiting) return;
    if (this.#chunks.length === 0) {
      if (this.#ended) this.end();
      else if (this.#wanted) this.#source?.resume();
      return;
    }
    if (!this.#wanted) return;
    this.#waiting = true;
    this.#rewriting.pacer.next(() => {
      this.#waiting = false;
      if (this.#wanted && !this.#over) this.#slice();
    });
  }

  #slice(): void {
    const [chunk] = this.#chunks;
    if (chunk === undefined) return;
    const { rewriter, memory, pacer } = this.#rewriting;
    const body = rewriter.next();
    const { usedUp } = rewriter;
    const isAll = usedUp && !this.#begun && chunk.length === chunk.body.length;
    this.#begun = true;
    if (usedUp) this.#nextChunk(chunk);
    pacer.spent(body.length);
    const release = (): void => memory.giveBack(body);
    if (body.length === 0) release();
    else this.#to.message(isAll ? { body, release, length: body.length } : { body, release });
    this.#goOn();
  }

  #nextChunk(usedUp: Chunk): void {
    this.#chunks.shift();
    usedUp.release?.();
    const [next] = this.#chunks;
    if (next !== undefined) this.#rewriting.rewriter.feed(next.body);
  }
}
