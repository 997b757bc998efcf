import { ApiError } from "@orch/status/api-error.js";
import type { Span } from "@orch/status/span.js";
import { isSized } from "./codecs/codec.js";
import { deadlinePassed } from "./errors.js";
import type { MessageCodec, Receiver, Sender, StreamMethod } from "./rpc.js";
import { createScope } from "./scope.js";

/** Both ends of one stream in one process. */
export interface LocalStream<Res> {
  readonly sender: Sender<Res>;
  pause(): void;
  resume(): void;
  /** The caller ends it: the receiver is not called any more, and the handler sees a cancellation. */
  cancel(): void;
  /** The transport ends it. */
  fail(error: ApiError): void;
  expire(): void;
}

interface StreamOptions {
  readonly window: number;
  readonly deadline: number | undefined;
  readonly span: Span | undefined;
  /** Runs once, when the stream is over for whatever reason. */
  readonly released: () => void;
}

interface Waiting<Res> {
  readonly message: Res;
  readonly size: number;
}

/**
 * Messages wait in a queue and reach the receiver in a microtask, never within `send` or `open`: a receiver
 * that cancels or opens another stream must not run inside the handler's loop. `onDrain` runs in a task of
 * its own, so that an endless stream with a quick receiver lets I/O happen.
 */
export function createLocalStream<Req, Res>(
  method: StreamMethod<Req, Res>,
  receiver: Receiver<Res>,
  options: StreamOptions,
): LocalStream<Res> {
  const { window } = options;
  const scope = createScope(options.deadline, options.span);
  let queue: Array<Waiting<Res>> = [];
  let pending = 0;
  let paused = false;
  let scheduled = false;
  let over = false;
  let ended: { readonly error: ApiError | undefined } | undefined;
  let held = false;
  const drains: Array<() => void> = [];

  const release = (): void => {
    over = true;
    queue = [];
    pending = 0;
    options.released();
  };
  const finish = (error: ApiError | undefined): void => {
    if (over) return;
    release();
    receiver.end(error);
  };
  const fail = (error: ApiError): void => {
    if (over) return;
    finish(error);
    scope.cancel();
  };
  const drain = (): void => {
    if (over || ended !== undefined) return;
    for (const run of [...drains]) run();
  };
  const deliver = (): void => {
    scheduled = false;
    let taken = 0;
    for (; taken < queue.length && !over && !paused; taken++) {
      const next = queue[taken];
      if (next === undefined) break;
      pending -= next.size;
      try {
        receiver.message(next.message);
      } catch (thrown) {
        fail(ApiError.from(thrown));
      }
    }
    if (over) return;
    queue = taken === queue.length ? [] : queue.slice(taken);
    if (ended !== undefined && queue.length === 0) finish(ended.error);
    else if (held && pending <= window / 2) {
      held = false;
      setImmediate(drain);
    }
  };
  const schedule = (): void => {
    if (scheduled || paused || over) return;
    scheduled = true;
    queueMicrotask(deliver);
  };

  const sender: Sender<Res> = {
    deadline: options.deadline,
    span: options.span,
    get cancelled() {
      return scope.call.cancelled;
    },
    onCancel: scope.call.onCancel,
    get pendingBytes() {
      return pending;
    },
    onDrain: (run) => {
      drains.push(run);
    },
    send: (message) => {
      if (over || ended !== undefined) return false;
      const size = sizeOf(method.response, message);
      queue.push({ message, size });
      pending += size;
      schedule();
      if (pending <= window) return true;
      held = true;
      return false;
    },
    end: (error) => {
      if (over || ended !== undefined) return;
      ended = { error };
      if (error !== undefined) {
        queue = withinWindow(queue, window);
        paused = false;
      }
      schedule();
    },
  };

  return {
    sender,
    pause: () => {
      if (ended?.error === undefined) paused = true;
    },
    resume: () => {
      paused = false;
      schedule();
    },
    cancel: () => {
      if (over) return;
      release();
      scope.cancel();
    },
    fail,
    expire: () => fail(deadlinePassed(method.name)),
  };
}

/** The messages within the window are delivered before an error; the rest is dropped. */
function withinWindow<Res>(queue: ReadonlyArray<Waiting<Res>>, window: number): Array<Waiting<Res>> {
  let sum = 0;
  return queue.filter((waiting) => {
    const fits = sum < window;
    sum += waiting.size;
    return fits;
  });
}

const unsizedMessage = 256;

function sizeOf<T>(codec: MessageCodec<T>, message: T): number {
  return isSized(codec) ? codec.size(message) : unsizedMessage;
}
