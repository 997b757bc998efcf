import { type ApiError, tooLarge, unavailable } from "@orch/status/api-error.js";
import type { ChunkMemory } from "@orch/status/chunk-memory.js";
import type { Clock } from "@orch/status/clock.js";
import { outside } from "@orch/status/crowd.js";
import type { JoinTrace, RemoteSpan } from "@orch/status/span.js";
import type { Payload } from "../codecs/codec.js";
import type { Deadlines, Mortal } from "../deadlines.js";
import { deadlinePassed, notServed } from "../errors.js";
import { defaultWindow, maxPayload } from "../limits.js";
import { failure, type RpcLog } from "../log.js";
import { createScope, type Scope } from "../scope.js";
import type { ServedMethods } from "../served-methods.js";
import { MalformedError } from "../wire.js";
import { errorPayload, helloPayload, readHello } from "./frame-payloads.js";
import { type InFrame, kinds, outFrame, readBatch } from "./frames.js";
import { type BatchWriter, createOutbox } from "./outbox.js";
import { commonVersion, protocolVersion } from "./protocol-version.js";
import { createMulticast, createServerStream, type ServerStream, type SharedMessages } from "./server-stream.js";
import { createUnderWay } from "./under-way.js";

export interface ServerConnection {
  /** A batch has arrived. @throws MalformedError for malformed bytes */
  receive(batch: Buffer): void;
  /** No new call is taken; the client is told and leaves once those under way are done. */
  drain(): void;
  /** Ends what is still under way. */
  abandon(): void;
  /** The peer has gone. */
  lost(): void;
}

export interface ConnectionOptions {
  readonly writer: BatchWriter;
  /** Of batches; fresh where absent. */
  readonly memory?: ChunkMemory;
  readonly methods: ServedMethods;
  readonly shared: SharedMessages;
  readonly deadlines: Deadlines;
  readonly clock: Clock;
  readonly log: RpcLog;
  readonly joinTrace: JoinTrace | undefined;
  /** {@link protocolVersion} where absent. */
  readonly version?: number;
}

/** What is under way: a unary call whose handler answers later, or a stream. */
interface Running {
  readonly scope: Scope;
  readonly mortal: Mortal | undefined;
  readonly stream: ServerStream | undefined;
}

/** What an answer needs of its request. */
type Answered = Pick<Request, "id" | "span">;

interface Request {
  readonly id: number;
  readonly method: string;
  readonly payload: Buffer;
  readonly scope: Scope;
  readonly span: RemoteSpan | undefined;
}

const shuttingDown = (): ApiError => unavailable("this peer is shutting down");

export function createServerConnection(options: ConnectionOptions): ServerConnection {
  const { methods, shared, deadlines, clock, log, joinTrace, version: own = protocolVersion } = options;
  const outbox = createOutbox(options.writer, options.memory);
  const multicast = createMulticast(outbox);
  const running = createUnderWay<Running>();
  let greeted = false;
  let draining = false;
  let gone = false;

  const forget = (id: number): boolean => {
    const one = running.take(id);
    if (one === undefined) return false;
    if (one.mortal !== undefined) deadlines.remove(one.mortal);
    return true;
  };
  const sendError = ({ id, span }: Answered, error: ApiError): void => {
    outbox.push(outFrame(kinds.error, { id, payload: errorPayload(error), trace: span?.told() ?? "" }));
  };
  const sendReply = (request: Answered, payload: Payload): void => {
    const { id, span } = request;
    if (payload.size > maxPayload) sendError(request, tooLarge(`an answer of ${payload.size} bytes`));
    else outbox.push(outFrame(kinds.reply, { id, payload, trace: span?.told() ?? "" }));
  };
  const failed = (thrown: unknown, request: Request): ApiError => failure(thrown, { log, method: request.method });

  const hold = (request: Request, stream: ServerStream | undefined): void => {
    const { id, method, scope } = request;
    const { deadline } = scope.call;
    const expire = (): void => {
      const error = deadlinePassed(method);
      if (stream !== undefined) stream.fail(error);
      else if (forget(id)) {
        sendError(request, error);
        scope.cancel();
      }
    };
    const mortal = deadline === undefined ? undefined : { place: outside, deadline, expire };
    running.set(id, { scope, mortal, stream });
    if (mortal !== undefined) deadlines.add(mortal);
  };
  const settle = (request: Request, pending: Promise<Payload>): void => {
    hold(request, undefined);
    pending.then(
      (payload) => {
        if (forget(request.id)) sendReply(request, payload);
      },
      (thrown) => {
        const error = failed(thrown, request);
        if (forget(request.id)) sendError(request, error);
      },
    );
  };
  const start = (request: Request, window: number): void => {
    const served = methods.get(request.method);
    if (served === undefined) {
      sendError(request, notServed(request.method));
      return;
    }
    if (served.kind === "unary") {
      try {
        const result = served.run(request.payload, request.scope.call);
        if (result instanceof Promise) settle(request, result);
        else sendReply(request, result);
      } catch (thrown) {
        sendError(request, failed(thrown, request));
      }
      return;
    }
    const { id, scope } = request;
    const released = (): void => {
      forget(id);
    };
    const stream = createServerStream({ id, window, scope, span: request.span, outbox, multicast, shared, released });
    hold(request, stream);
    try {
      served.run(request.payload, stream);
    } catch (thrown) {
      stream.fail(failed(thrown, request));
    }
  };
  const accept = (frame: InFrame): void => {
    const { id, method, payload, deadlineMs } = frame;
    if (id === 0 || running.get(id) !== undefined) throw new MalformedError(`call id ${id} used wrongly`);
    if (draining) {
      outbox.push(outFrame(kinds.refused, { id, payload: errorPayload(shuttingDown()) }));
      return;
    }
    const deadline = deadlineMs === 0 ? undefined : clock.monotonic() + deadlineMs;
    const span = frame.trace === "" ? undefined : joinTrace?.(frame.trace);
    const scope = createScope(deadline, span);
    start({ id, method, payload, scope, span }, frame.credit === 0 ? defaultWindow : frame.credit);
  };
  const greet = (frame: InFrame): void => {
    if (frame.kind !== kinds.hello) throw new MalformedError("the first frame is no greeting");
    const { version } = readHello(frame.payload);
    const reject = (why: string): void => {
      log.warn({ version }, `a client is rejected: ${why}`);
      outbox.push(outFrame(kinds.reject, { payload: helloPayload(own, why) }));
    };
    const common = commonVersion(own, version);
    if (common === undefined) {
      reject(`version ${version} of the protocol is not spoken here, but version ${own}`);
    } else if (draining) reject("this peer is shutting down");
    else {
      greeted = true;
      outbox.push(outFrame(kinds.hello, { payload: helloPayload(common) }));
    }
  };
  const cancel = (id: number): void => {
    const one = running.get(id);
    if (one === undefined) return;
    if (one.stream !== undefined) one.stream.cancel();
    else if (forget(id)) one.scope.cancel();
  };
  const take = (frame: InFrame): void => {
    if (!greeted) greet(frame);
    else if (frame.kind === kinds.request || frame.kind === kinds.open) accept(frame);
    else if (frame.kind === kinds.credit) running.get(frame.id)?.stream?.credit(frame.credit);
    else if (frame.kind === kinds.cancel) cancel(frame.id);
    else throw new MalformedError(`a client does not send frames of kind ${frame.kind}`);
  };

  return {
    receive: (batch) => {
      if (!gone) readBatch(batch, take);
    },
    drain: () => {
      draining = true;
      if (greeted && !gone) outbox.push(outFrame(kinds.goaway, {}));
    },
    abandon: () => {
      for (const [id, one] of running.entries()) {
        if (one.stream !== undefined) one.stream.fail(shuttingDown());
        else cancel(id);
      }
      outbox.flush();
    },
    lost: () => {
      if (gone) return;
      gone = true;
      outbox.close();
      for (const [id] of running.entries()) cancel(id);
    },
  };
}
