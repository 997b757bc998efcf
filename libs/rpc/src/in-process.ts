import type { ApiError } from "@orch/status/api-error.js";
import type { Clock } from "@orch/status/clock.js";
import { outside } from "@orch/status/crowd.js";
import { callClock } from "./clock.js";
import { createDeadlines } from "./deadlines.js";
import { callerClosed, deadlinePassed, notServed } from "./errors.js";
import { createLocalStream } from "./in-process-stream.js";
import { defaultWindow } from "./limits.js";
import { failure, type RpcLog, silent } from "./log.js";
import { createRegistry } from "./registry.js";
import type {
  Caller,
  CallOptions,
  Receiver,
  ServerCall,
  Services,
  StreamMethod,
  Subscription,
  UnaryMethod,
} from "./rpc.js";
import { createScope } from "./scope.js";

export interface InProcessOptions {
  readonly clock?: Clock;
  readonly log?: RpcLog;
  /** Bytes of a stream that may wait for its receiver before `send` says no. */
  readonly window?: number;
}

export interface InProcess {
  readonly services: Services;
  readonly caller: Caller;
}

/** Caller and services in one process: values pass as they are, with the failures and limits of the network one. */
export function createInProcess({
  clock = callClock,
  log = silent,
  window = defaultWindow,
}: InProcessOptions = {}): InProcess {
  const registry = createRegistry();
  const deadlines = createDeadlines(clock);
  const open = new Set<{ fail(error: ApiError): void }>();
  let closed = false;

  function settle<Req, Res>(method: UnaryMethod<Req, Res>, request: Req, call: ServerCall): Promise<Res> {
    const handler = registry.unaryHandler(method);
    if (closed || handler === undefined) return Promise.reject(closed ? callerClosed() : notServed(method.name));
    const fail = (thrown: unknown): never => {
      throw failure(thrown, { log, method: method.name });
    };
    try {
      const result = handler(request, call);
      return result instanceof Promise ? result.catch(fail) : Promise.resolve(result);
    } catch (thrown) {
      return Promise.reject(failure(thrown, { log, method: method.name }));
    }
  }

  function settleBefore<Req, Res>(
    method: UnaryMethod<Req, Res>,
    request: Req,
    options: CallOptions & { deadlineMs: number },
  ): Promise<Res> {
    if (options.deadlineMs <= 0) return Promise.reject(deadlinePassed(method.name));
    return new Promise((resolve, reject) => {
      const deadline = clock.monotonic() + options.deadlineMs;
      const scope = createScope(deadline, options.span);
      const mortal = {
        place: outside,
        deadline,
        expire: () => {
          reject(deadlinePassed(method.name));
          scope.cancel();
        },
      };
      deadlines.add(mortal);
      settle(method, request, scope.call).then(
        (value) => {
          deadlines.remove(mortal);
          resolve(value);
        },
        (error) => {
          deadlines.remove(mortal);
          reject(error);
        },
      );
    });
  }

  function openStream<Req, Res>(
    method: StreamMethod<Req, Res>,
    request: Req,
    receiver: Receiver<Res>,
    options: CallOptions,
  ): Subscription {
    const { deadlineMs } = options;
    const deadline = deadlineMs === undefined ? undefined : clock.monotonic() + deadlineMs;
    const mortal = deadline === undefined ? undefined : { place: outside, deadline, expire: () => stream.expire() };
    const stream = createLocalStream(method, receiver, {
      window,
      deadline,
      span: options.span,
      released: () => {
        open.delete(stream);
        if (mortal !== undefined) deadlines.remove(mortal);
      },
    });
    open.add(stream);
    if (mortal !== undefined) deadlines.add(mortal);
    queueMicrotask(() => {
      if (stream.sender.cancelled) return;
      const handler = registry.streamHandler(method);
      if (closed) stream.fail(callerClosed());
      else if (handler === undefined) stream.fail(notServed(method.name));
      else {
        try {
          handler(request, stream.sender);
        } catch (thrown) {
          stream.sender.end(failure(thrown, { log, method: method.name }));
        }
      }
    });
    return stream;
  }

  return {
    services: registry,
    caller: {
      get ready() {
        return !closed;
      },
      call: (method, request, options) => {
        const deadlineMs = options?.deadlineMs;
        if (deadlineMs !== undefined) return settleBefore(method, request, { ...options, deadlineMs });
        return settle(method, request, createScope(undefined, options?.span).call);
      },
      open: (method, request, receiver, options = {}) => openStream(method, request, receiver, options),
      close: async () => {
        closed = true;
        for (const stream of open) stream.fail(callerClosed());
      },
    },
  };
}
