import { type ChunkMemory, freshMemory } from "@orch/status/chunk-memory.js";
import { flushAt, maxBatch, maxUnwritten } from "../limits.js";
import { frameSize, type OutFrame, writeFrame } from "./frames.js";

/** From so many bytes on the memory of a batch is kept: half of what it takes at least, so that what waits takes twice its bytes at most. */
const largeBatch = flushAt;

/** The gRPC stream under a connection, either side's. */
export interface BatchWriter {
  write(batch: Buffer, written: () => void): boolean;
  on(event: "drain", run: () => void): unknown;
}

/** The frames of one connection that wait for the end of the tick, or until gRPC takes more. */
export interface Outbox {
  push(frame: OutFrame): void;
  /** Like push, but waits for the end of the tick even when much waits, so that streams may join the frame. */
  pushJoinable(frame: OutFrame): void;
  /** Payload bytes of the frames that wait. */
  readonly waitingBytes: number;
  flush(): void;
  /** Nothing is written from now on. */
  close(): void;
}

/**
 * Packs the frames of one tick into one batch, because a gRPC message costs some 15 µs and a frame in it
 * less than one. The tick ends with setImmediate: it runs after all sockets that were readable, a microtask
 * would run after each. `memory`: of batches, for a writer that has copied one when it calls back; gRPC's client has not where it may
 * try a call again.
 */
export function createOutbox(writer: BatchWriter, memory: ChunkMemory = freshMemory): Outbox {
  const memoryFor = (bytes: number): Buffer => (bytes < largeBatch ? Buffer.allocUnsafe(bytes) : memory.take(bytes));
  let queue: OutFrame[] = [];
  let head = 0;
  let waiting = 0;
  let scheduled = false;
  let unwritten = 0;
  let full = false;
  let closed = false;

  const takeBatch = (): Buffer | undefined => {
    let size = 0;
    let end = head;
    for (; end < queue.length; end++) {
      const frame = queue[end];
      if (frame === undefined || frame.state === "withdrawn") continue;
      const more = frameSize(frame);
      if (size > 0 && size + more > maxBatch) break;
      size += more;
    }
    const batch = size === 0 ? undefined : memoryFor(size);
    let at = 0;
    for (; head < end; head++) {
      const frame = queue[head];
      if (frame === undefined) continue;
      waiting -= frame.payload.size;
      if (batch === undefined || frame.state === "withdrawn") continue;
      at = writeFrame(frame, batch, at);
      frame.state = "written";
      frame.payload.written?.();
    }
    return batch;
  };
  const flush = (): void => {
    while (head < queue.length && !closed && !full && unwritten < maxUnwritten) {
      const batch = takeBatch();
      if (batch === undefined) break;
      const { length } = batch;
      unwritten += length;
      full = !writer.write(batch, () => {
        const wasBlocked = unwritten >= maxUnwritten;
        unwritten -= length;
        memory.giveBack(batch);
        if (wasBlocked) flush();
      });
    }
    if (head === queue.length || closed) {
      queue = [];
      head = 0;
      waiting = 0;
    } else if (head > 1024) {
      queue = queue.slice(head);
      head = 0;
    }
  };
  const onTick = (): void => {
    scheduled = false;
    flush();
  };
  writer.on("drain", () => {
    full = false;
    flush();
  });

  const pushJoinable = (frame: OutFrame): void => {
    if (closed) return;
    frame.state = "queued";
    queue.push(frame);
    waiting += frame.payload.size;
    if (scheduled) return;
    scheduled = true;
    setImmediate(onTick);
  };
  return {
    pushJoinable,
    push: (frame) => {
      pushJoinable(frame);
      if (waiting >= flushAt) flush();
    },
    get waitingBytes() {
      return waiting;
    },
    flush,
    close: () => {
      closed = true;
      flush();
    },
  };
}
