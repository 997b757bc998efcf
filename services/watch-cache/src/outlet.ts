import type { Chunk } from "@orch/rpc/messages.js";
import type { Pacer } from "@orch/rpc/pacer.js";
import type { Sender } from "@orch/rpc/rpc.js";
import { ApiError, timeout } from "@orch/status/api-error.js";

/**
 * The way of one watch's bytes to its client. What a client must have first (initial state, missed
 * events) is queued as recipes and made as fast as the client takes it; live frames wait behind it. A
 * client that cannot keep up is ended, never buffered without bound.
 */
export interface Outlet {
  /** Says that the watch was accepted: an empty chunk. */
  accept(): void;
  /** Something to send before the live stream, made of so many bytes; called only before {@link goLive}. */
  queue(bytes: number, make: () => Buffer): void;
  /** Begins to send what is queued so far. */
  flush(): void;
  /** The queue is complete; live frames follow it. */
  goLive(): void;
  /** Live frames; the same chunk given to many outlets crosses a connection once. */
  send(chunk: Chunk): void;
  /** An ERROR event and the end: how a stream that was accepted fails. */
  error(error: ApiError): void;
  /** The same where it was accepted; before that the call itself fails. */
  fail(error: ApiError): void;
  /** Ends once the queue is sent, or when that takes the client too long. */
  end(): void;
  close(): void;
  onClose(run: () => void): void;
  /** Sends what is queued so far; settles when all of it went to the transport, or the client is gone. */
  sent(): Promise<void>;
  /** Settles when the client has room for more, or is gone. */
  drained(): Promise<void>;
  /** Accepted, nothing queued, not closed. */
  readonly live: boolean;
  readonly closed: boolean;
}

export interface OutletOptions {
  /** Bytes that may wait for a client before its watch is ended. */
  readonly maxPendingBytes: number;
  /** In which what is queued takes turns, where it is costly to make. */
  readonly pacer?: Pacer | undefined;
  /** An ERROR event in the encoding of the stream. */
  readonly errorFrame: (error: ApiError) => Buffer;
}

const chunkBytes = 128 * 1024;
/**
 * A frame of so many bytes goes out as it is: many clients may be sent the same one, and a copy for each of them is
 * garbage that is collected late.
 */
const joinedBelow = 16 * 1024;
/** How long a watch whose time is over may still catch up. */
const farewellMs = 30_000;

/** With an error the transport drops what waits for the client; without one it would be kept until taken. */
const tooSlow = (): ApiError => timeout("the client is too slow for this watch");

interface Recipe {
  readonly bytes: number;
  readonly make: () => Buffer;
}

export function createOutlet(sender: Sender<Chunk>, options: OutletOptions): Outlet {
  const { pacer } = options;
  const closers: (() => void)[] = [];
  let state: "accepting" | "catchingUp" | "live" | "closed" = "accepting";
  let recipes: Recipe[] = [];
  let next = 0;
  /** The next chunk has its turn to come. */
  let waiting = false;
  let complete = false;
  let ending = false;
  let behind: Chunk[] = [];
  let behindBytes = 0;

  let allSent = (): void => {};

  const write = (body: Buffer): boolean => sender.send({ body });

  const close = (): void => {
    if (state === "closed") return;
    state = "closed";
    recipes = [];
    behind = [];
    for (const run of closers) run();
  };

  const finish = (error?: ApiError): void => {
    if (state === "closed") return;
    close();
    sender.end(error);
  };

  const writeJoined = (frames: readonly Buffer[]): boolean => {
    const [only] = frames;
    return write(frames.length === 1 && only !== undefined ? only : Buffer.concat(frames));
  };

  /** The next frames, a chunk of them; false when the client is behind. */
  const writeChunk = (): boolean => {
    let small: Buffer[] = [];
    let read = 0;
    let hasRoom = true;
    for (let size = 0; Math.max(size, read) < chunkBytes; next++) {
      const recipe = recipes[next];
      if (recipe === undefined) break;
      const frame = recipe.make();
      size += frame.length;
      read += recipe.bytes;
      if (frame.length < joinedBelow) {
        small.push(frame);
        continue;
      }
      if (small.length > 0) writeJoined(small);
      small = [];
      hasRoom = write(frame);
    }
    pacer?.spent(read);
    return small.length > 0 ? writeJoined(small) : hasRoom;
  };

  const inTurn = (): void => {
    if (waiting) return;
    waiting = true;
    pacer?.next(() => {
      waiting = false;
      if (state !== "catchingUp") return;
      try {
        if (writeChunk() || next === recipes.length) catchUp();
      } catch (failed) {
        error(ApiError.from(failed));
      }
    });
  };

  const catchUp = (): void => {
    if (state !== "catchingUp" || waiting) return;
    if (pacer !== undefined && next < recipes.length) {
      inTurn();
      return;
    }
    while (next < recipes.length) {
      // `onDrain` brings us back.
      if (!writeChunk() && next < recipes.length) return;
    }
    if (!complete) {
      allSent();
      return;
    }
    state = "live";
    recipes = [];
    for (const chunk of behind) sender.send(chunk);
    behind = [];
    if (ending) finish();
  };

  const error = (why: ApiError): void => {
    if (state === "closed") return;
    write(options.errorFrame(why));
    finish();
  };

  let roomAgain = (): void => {};
  closers.push(() => {
    roomAgain();
    allSent();
  });
  sender.onDrain(() => {
    roomAgain();
    catchUp();
  });

  return {
    accept() {
      if (state !== "accepting") return;
      state = "catchingUp";
      write(Buffer.alloc(0));
    },
    queue: (bytes, make) => void recipes.push({ bytes, make }),
    flush: catchUp,
    goLive() {
      complete = true;
      catchUp();
    },
    send(chunk) {
      if (state === "live") {
        if (!sender.send(chunk) && sender.pendingBytes > options.maxPendingBytes) finish(tooSlow());
      } else if (state === "catchingUp") {
        behind.push(chunk);
        behindBytes += chunk.body.length;
        if (behindBytes > options.maxPendingBytes) finish(tooSlow());
      }
    },
    error,
    fail: (failure) => (state === "accepting" ? finish(failure) : error(failure)),
    end() {
      if (state !== "catchingUp" || !complete) {
        finish();
        return;
      }
      ending = true;
      const patience = setTimeout(() => finish(tooSlow()), farewellMs);
      closers.push(() => clearTimeout(patience));
    },
    close,
    sent() {
      if (state === "closed") return Promise.resolve();
      return new Promise((resolve) => {
        allSent = resolve;
        catchUp();
      });
    },
    drained() {
      if (state === "closed" || sender.pendingBytes < chunkBytes) return Promise.resolve();
      return new Promise((resolve) => {
        roomAgain = resolve;
      });
    },
    onClose(run) {
      if (state === "closed") run();
      else closers.push(run);
    },
    get live() {
      return state === "live";
    },
    get closed() {
      return state === "closed";
    },
  };
}
