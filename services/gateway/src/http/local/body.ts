import type { StreamBody } from "@orch/client/http/transport.js";
import type { BodyStream } from "../response.js";

/** Both ends of a body that stays within the process. */
export interface LocalBody {
  /** The server's. */
  readonly stream: BodyStream;
  /** The client's. A part's memory is its own until it asks for the next. */
  readonly body: StreamBody;
  /** The client reads no further, by no wish of its reader, who is told why. */
  lose(why: unknown): void;
}

interface Part {
  readonly bytes: Buffer;
  readonly written: (() => void) | undefined;
}

/** Bytes that may wait for the client before the server is held back. */
const window = 1024 * 1024;

/** Parts that were read are let go of together: one by one would move the rest each time. */
const mostRead = 256;

/**
 * `ended` runs when the server has said everything, or cuts the body; `left` when the client reads no further. Parts wait in
 * the memory that they came in: nothing is copied.
 */
export function createLocalBody(on: { readonly ended: () => void; readonly left: () => void }): LocalBody {
  let parts: Part[] = [];
  /** Of the first that the client has not done with. */
  let at = 0;
  let pending = 0;
  let over: { readonly failure?: unknown } | undefined;
  let behind = false;
  let drains: (() => void)[] = [];
  let wake = (): void => {};

  const finish = (how: { readonly failure?: unknown }): void => {
    if (over !== undefined) return;
    over = how;
    on.ended();
    wake();
  };
  const leave = (how: { readonly failure?: unknown }): void => {
    const unread = parts.slice(at);
    parts = [];
    at = 0;
    const goesOn = over === undefined;
    over = how;
    for (const { written } of unread) written?.();
    if (goesOn) on.left();
    wake();
  };
  const taken = ({ bytes, written }: Part): void => {
    at += 1;
    // A reader that is never quite done must not keep what it has read.
    if (at === parts.length || at >= mostRead) {
      parts = parts.slice(at);
      at = 0;
    }
    pending -= bytes.length;
    written?.();
    if (!behind || pending > window / 2) return;
    behind = false;
    const runs = drains;
    drains = [];
    // In a turn of its own: a client that reads as fast as the server writes must let others have theirs.
    setImmediate(() => {
      for (const run of runs) run();
    });
  };
  async function* read(): AsyncGenerator<Buffer, void, void> {
    try {
      for (;;) {
        const next = parts[at];
        if (next !== undefined) {
          yield next.bytes;
          if (parts[at] === next) taken(next);
          continue;
        }
        if (over?.failure !== undefined) throw over.failure;
        if (over !== undefined) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      leave({});
    }
  }

  return {
    stream: {
      write(bytes, written) {
        if (over !== undefined) {
          written?.();
          return true;
        }
        parts.push({ bytes, written });
        pending += bytes.length;
        wake();
        behind = pending > window;
        return !behind;
      },
      end: () => finish({}),
      cut: () => finish({ failure: new Error("the answer was cut") }),
      onDrain(run) {
        if (behind) drains.push(run);
        else run();
      },
    },
    body: { [Symbol.asyncIterator]: read, destroy: () => leave({}) },
    lose: (why) => leave({ failure: why }),
  };
}
