import type { Caller } from "@orch/rpc/rpc.js";

/** Is told how the stream of a list or a watch goes. */
export interface StreamObserver {
  /** The next bytes of the body; the first time 0 of them say that the stream was accepted. */
  message(bytes: number): void;
  /** It is over: whole, or broken off. Not told of a client that went away. */
  end(whole: boolean): void;
}

/** The same caller, whose streams tell an observer how they go. */
export function observed(caller: Caller, observer: StreamObserver): Caller {
  return {
    call: (method, request, options) => caller.call(method, request, options),
    open: (method, request, receiver, options) =>
      caller.open(
        method,
        request,
        {
          message(message) {
            observer.message(bodyBytes(message));
            receiver.message(message);
          },
          end(error) {
            observer.end(error === undefined);
            receiver.end(error);
          },
        },
        options,
      ),
    get ready() {
      return caller.ready;
    },
    close: () => caller.close(),
  };
}

function bodyBytes(message: unknown): number {
  if (typeof message !== "object" || message === null || !("body" in message)) return 0;
  return Buffer.isBuffer(message.body) ? message.body.length : 0;
}
