import type { Caller, StreamMethod } from "@orch/rpc/rpc.js";
import type { ApiError } from "@orch/status/api-error.js";

/** Messages that wait; more hold the sender back. */
const mostWaiting = 64;

/** A stream's messages, until it ends or the signal aborts. @throws ApiError with which it ended */
export async function* receive<Req, Res>(
  caller: Caller,
  method: StreamMethod<Req, Res>,
  request: Req,
  signal: AbortSignal,
): AsyncGenerator<Res> {
  let waiting: Res[] = [];
  let ended: { readonly error: ApiError | undefined } | undefined;
  let wake: () => void = () => {};
  let paused = false;
  const stream = caller.open(method, request, {
    message(message) {
      waiting.push(message);
      if (!paused && waiting.length > mostWaiting) {
        paused = true;
        stream.pause();
      }
      wake();
    },
    end(error) {
      ended = { error };
      wake();
    },
  });
  const abort = (): void => wake();
  signal.addEventListener("abort", abort);
  try {
    while (!signal.aborted) {
      if (waiting.length === 0) {
        if (ended?.error !== undefined) throw ended.error;
        if (ended !== undefined) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const some = waiting;
      waiting = [];
      if (paused) {
        paused = false;
        stream.resume();
      }
      yield* some;
    }
  } finally {
    signal.removeEventListener("abort", abort);
    stream.cancel();
  }
}
