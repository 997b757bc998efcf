import type { Pacer } from "@orch/rpc/pacer.js";
import type { Caller, Receiver, Subscription } from "@orch/rpc/rpc.js";

/** Observes the stream of a list or a watch. */
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
      openObserved((observing) => caller.open(method, request, observing, options), { receiver, observer }),
    get ready() {
      return caller.ready;
    },
    close: () => caller.close(),
  };
}

interface Observing<Res> {
  readonly receiver: Receiver<Res>;
  readonly observer: StreamObserver;
  readonly pacer?: Pacer;
}

/** A stream that tells an observer how it goes, and takes turns where there is a pacer. */
export function openObserved<Res>(
  open: (receiver: Receiver<Res>) => Subscription,
  { receiver, observer, pacer }: Observing<Res>,
): Subscription {
  const turns = pacer === undefined ? undefined : new Turns(pacer);
  const subscription = open({
    message(message) {
      const bytes = bodyBytes(message);
      observer.message(bytes);
      receiver.message(message);
      turns?.taken(bytes);
    },
    end(error) {
      turns?.finish();
      observer.end(error === undefined);
      receiver.end(error);
    },
  });
  return turns?.begin(subscription) ?? subscription;
}

/** A stream that is held back after each message until it is its turn and its receiver wants more. */
class Turns implements Subscription {
  readonly #pacer: Pacer;
  #stream: Subscription | undefined;
  #wanted = true;
  #waiting = false;
  #over = false;

  constructor(pacer: Pacer) {
    this.#pacer = pacer;
  }

  begin(stream: Subscription): Subscription {
    this.#stream = stream;
    stream.pause();
    this.#ask();
    return this;
  }

  taken(bytes: number): void {
    this.#pacer.spent(bytes);
    this.#stream?.pause();
    this.#ask();
  }

  finish(): void {
    this.#over = true;
  }

  pause(): void {
    this.#wanted = false;
    this.#stream?.pause();
  }

  resume(): void {
    this.#wanted = true;
    this.#ask();
  }

  cancel(): void {
    this.#over = true;
    this.#stream?.cancel();
  }

  #ask(): void {
    if (this.#waiting || !this.#wanted || this.#over) return;
    this.#waiting = true;
    this.#pacer.next(() => {
      this.#waiting = false;
      // If its receiver has paused meanwhile, it will ask again.
      if (this.#wanted && !this.#over) this.#stream?.resume();
    });
  }
}

function bodyBytes(message: unknown): number {
  if (typeof message !== "object" || message === null || !("body" in message)) return 0;
  return Buffer.isBuffer(message.body) ? message.body.length : 0;
}
