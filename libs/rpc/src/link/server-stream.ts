import type { ApiError } from "@orch/status/api-error.js";
import type { RemoteSpan } from "@orch/status/span.js";
import { type Payload, payloadOf } from "../codecs/codec.js";
import type { MessageCodec, Sender } from "../rpc.js";
import type { Scope } from "../scope.js";
import { errorPayload } from "./frame-payloads.js";
import { kinds, type OutFrame, outFrame } from "./frames.js";
import type { Outbox } from "./outbox.js";

/** A message on its way to any number of streams: encoded once. */
export interface Shared {
  readonly payload: Payload;
  readonly codec: object;
}

/** Remembers the messages of this tick, over all connections of a server. */
export interface SharedMessages {
  of<T>(codec: MessageCodec<T>, message: T): Shared;
}

export function createSharedMessages(): SharedMessages {
  const known = new Map<unknown, Shared>();
  return {
    of: (codec, message) => {
      const found = known.get(message);
      if (found !== undefined && found.codec === codec) return found;
      if (known.size === 0) setImmediate(() => known.clear());
      const shared = { payload: payloadOf(codec, message), codec };
      known.set(message, shared);
      return shared;
    },
  };
}

/** The streams of one connection that may join one frame. */
export interface Multicast {
  /** Queues a message for a stream behind frame `after`; returns the place of the frame that carries it. */
  send(id: number, shared: Shared, after: number): number;
}

/**
 * A stream joins the frame that already carries its message to another stream, unless that frame stands
 * before one of the stream's own: A.send(x), B.send(y), B.send(x) must give B first y, then x.
 */
export function createMulticast(outbox: Outbox): Multicast {
  const joinable = new Map<Shared, { readonly frame: OutFrame; readonly place: number }>();
  let places = 0;
  return {
    send: (id, shared, after) => {
      const found = joinable.get(shared);
      if (found !== undefined && found.frame.state === "queued" && found.place > after) {
        if (found.frame.also === undefined) found.frame.also = [id];
        else found.frame.also.push(id);
        return found.place;
      }
      if (joinable.size === 0) setImmediate(() => joinable.clear());
      const frame = outFrame(kinds.message, { id, payload: shared.payload });
      const place = ++places;
      joinable.set(shared, { frame, place });
      outbox.pushJoinable(frame);
      return place;
    },
  };
}

/** The serving end of a stream, as its connection sees it. */
export interface ServerStream {
  readonly sender: <Res>(codec: MessageCodec<Res>) => Sender<Res>;
  /** The receiver took some bytes. */
  credit(bytes: number): void;
  /** The caller has gone, and nothing more is sent. */
  cancel(): void;
  fail(error: ApiError): void;
}

export interface ServerStreamOptions {
  readonly id: number;
  readonly window: number;
  readonly scope: Scope;
  readonly span: RemoteSpan | undefined;
  readonly outbox: Outbox;
  readonly multicast: Multicast;
  readonly shared: SharedMessages;
  /** Runs once, when the stream is over. */
  readonly released: () => void;
}

/**
 * Sends while less than the window is under way; more waits here, where memory is only a reference to the
 * message. `pending` counts both.
 */
export function createServerStream(options: ServerStreamOptions): ServerStream {
  const { id, window, scope, span, outbox, multicast, shared } = options;
  const drains: Array<() => void> = [];
  let unsent: Shared[] = [];
  let pending = 0;
  let underWay = 0;
  let place = 0;
  let held = false;
  let ending = false;
  let over = false;

  const release = (): void => {
    over = true;
    unsent = [];
    pending = 0;
    options.released();
  };
  const finish = (error: ApiError | undefined): void => {
    if (over) return;
    release();
    const trace = span?.told() ?? "";
    outbox.push(
      error === undefined
        ? outFrame(kinds.end, { id, trace })
        : outFrame(kinds.error, { id, payload: errorPayload(error), trace }),
    );
  };
  const transmit = (message: Shared): void => {
    underWay += message.payload.size;
    place = multicast.send(id, message, place);
  };
  const transmitMore = (): void => {
    let taken = 0;
    for (const message of unsent) {
      if (underWay >= window) break;
      transmit(message);
      taken++;
    }
    if (taken > 0) unsent = unsent.slice(taken);
  };
  const send = (message: Shared): boolean => {
    pending += message.payload.size;
    if (unsent.length === 0 && underWay < window) transmit(message);
    else unsent.push(message);
    if (pending <= window) return true;
    held = true;
    return false;
  };
  const end = (error: ApiError | undefined): void => {
    if (over || ending) return;
    if (error !== undefined || unsent.length === 0) finish(error);
    else ending = true;
  };

  return {
    sender: (codec) => ({
      deadline: scope.call.deadline,
      span,
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
      send: (message) => !over && !ending && send(shared.of(codec, message)),
      end,
    }),
    credit: (bytes) => {
      if (over) return;
      const taken = Math.min(bytes, underWay);
      underWay -= taken;
      pending -= taken;
      transmitMore();
      if (ending && unsent.length === 0) finish(undefined);
      else if (held && pending <= window / 2) {
        held = false;
        for (const run of [...drains]) run();
      }
    },
    cancel: () => {
      if (!over) release();
      scope.cancel();
    },
    fail: (error) => {
      finish(error);
      scope.cancel();
    },
  };
}
