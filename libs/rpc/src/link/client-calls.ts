import { ApiError, outcomeUnknown, unavailable } from "@orch/status/api-error.js";
import { outside } from "@orch/status/crowd.js";
import { type Span, spanText, tellEvents } from "@orch/status/span.js";
import { payloadOf } from "../codecs/codec.js";
import type { Mortal } from "../deadlines.js";
import { deadlinePassed } from "../errors.js";
import type { MessageCodec, Receiver, StreamMethod, Subscription, UnaryMethod } from "../rpc.js";
import type { Carried, Ticket } from "./client-link.js";
import { kinds } from "./frames.js";

/** A call or stream of the caller's, from its start to its one end, over as many links as it takes. */
export interface Outgoing extends Carried {
  readonly over: boolean;
  /** A link carries it now. */
  carriedBy(ticket: Ticket): void;
  /** Ends it with this error, wherever it is. */
  fail(error: ApiError): void;
}

export interface OutgoingOptions {
  /** Infinity without one. */
  readonly deadline: number;
  readonly span: Span | undefined;
  /** Tries another peer. */
  readonly again: (one: Outgoing) => void;
  /** Runs once, when it is over. */
  readonly released: (one: Outgoing & Mortal) => void;
}

/** A call that was sent this often without an answer is given up, whatever its deadline. */
const maxAttempts = 5;

const ignore = (): void => {};

const traceOf = (span: Span | undefined): string => (span === undefined ? "" : spanText(span));

function listener(span: Span | undefined): Carried["traced"] {
  return span === undefined ? ignore : (events) => tellEvents(span, events);
}

const noPeerLeft = (method: string): ApiError => unavailable(`no peer could take ${method}`);

export interface CallHands<Res> {
  readonly resolve: (value: Res) => void;
  readonly reject: (error: ApiError) => void;
}

export function outgoingCall<Req, Res>(
  method: UnaryMethod<Req, Res>,
  request: Req,
  { resolve, reject, deadline, span, again, released }: OutgoingOptions & CallHands<Res>,
): Outgoing & Mortal {
  let ticket: Ticket | undefined;
  let attempts = 0;
  const finish = (): boolean => {
    if (self.over) return false;
    self.over = true;
    released(self);
    return true;
  };
  const fail = (error: ApiError): void => {
    if (!finish()) return;
    ticket?.cancel();
    reject(error);
  };
  const self = {
    place: outside,
    kind: kinds.request,
    method: method.name,
    payload: payloadOf(method.request, request),
    deadline,
    window: 0,
    trace: traceOf(span),
    traced: listener(span),
    over: false,
    carriedBy: (given: Ticket): void => {
      ticket = given;
      attempts++;
    },
    reply: (payload: Buffer): void => {
      if (!finish()) return;
      try {
        resolve(method.response.decode(payload));
      } catch (thrown) {
        reject(ApiError.from(thrown));
      }
    },
    message: (): void => {},
    end: (error: ApiError | undefined): void => {
      if (finish()) reject(error ?? ApiError.from(new Error(`${method.name} ended without an answer`)));
    },
    returned: (sent: boolean): void => {
      ticket = undefined;
      if (self.over) return;
      if (sent && !method.idempotent) fail(outcomeUnknown());
      else if (attempts >= maxAttempts) fail(sent ? outcomeUnknown() : noPeerLeft(method.name));
      else again(self);
    },
    fail,
    expire: (): void => fail(deadlinePassed(method.name)),
  };
  return self;
}

/** Decodes a payload once for all streams that it came for. */
export interface Decoders {
  decode<T>(codec: MessageCodec<T>, payload: Buffer): T;
}

interface Last<T> {
  payload: Buffer;
  value: T;
}

/** A map whose value's type depends on its key. */
interface LastByCodec {
  get<T>(codec: MessageCodec<T>): Last<T> | undefined;
  set<T>(codec: MessageCodec<T>, last: Last<T>): void;
  clear(): void;
}

export function createDecoders(): Decoders {
  // The only place where the language cannot express that a codec's identity carries its type.
  const lasts = new Map() as LastByCodec;
  let clearing = false;
  const clear = (): void => {
    clearing = false;
    lasts.clear();
  };
  return {
    decode: (codec, payload) => {
      const last = lasts.get(codec);
      if (last?.payload === payload) return last.value;
      const value = codec.decode(payload);
      lasts.set(codec, { payload, value });
      if (!clearing) {
        clearing = true;
        // A kept value must not hold the memory of its batch for longer than the tick.
        setImmediate(clear);
      }
      return value;
    },
  };
}

export function outgoingStream<Req, Res>(
  method: StreamMethod<Req, Res>,
  request: Req,
  options: OutgoingOptions & { readonly receiver: Receiver<Res>; readonly window: number; readonly decoders: Decoders },
): { readonly stream: Outgoing & Mortal; readonly subscription: Subscription } {
  const { receiver, window, decoders, deadline, span, again, released } = options;
  let ticket: Ticket | undefined;
  let attempts = 0;
  let paused = false;
  let taken = 0;
  const finish = (): boolean => {
    if (self.over) return false;
    self.over = true;
    released(self);
    return true;
  };
  const end = (error: ApiError | undefined): void => {
    if (finish()) receiver.end(error);
  };
  const stop = (): void => {
    ticket?.cancel();
    ticket = undefined;
  };
  const fail = (error: ApiError): void => {
    if (self.over) return;
    stop();
    end(error);
  };
  // Credit is given back half a window at a time: the sender never runs out, and few frames carry credit.
  const credit = (): void => {
    if (paused || taken < window / 2) return;
    const bytes = taken;
    taken = 0;
    ticket?.credit(bytes);
  };
  const self = {
    place: outside,
    kind: kinds.open,
    method: method.name,
    payload: payloadOf(method.request, request),
    deadline,
    window,
    trace: traceOf(span),
    traced: listener(span),
    over: false,
    carriedBy: (given: Ticket): void => {
      ticket = given;
      attempts++;
    },
    reply: (): void => fail(ApiError.from(new Error(`${method.name} is no stream for its peer`))),
    message: (payload: Buffer): void => {
      if (self.over) return;
      try {
        receiver.message(decoders.decode(method.response, payload));
      } catch (thrown) {
        fail(ApiError.from(thrown));
        return;
      }
      taken += payload.length;
      credit();
    },
    end,
    returned: (sent: boolean): void => {
      ticket = undefined;
      if (self.over) return;
      if (sent) end(unavailable(`the connection that ${method.name} came over was lost`));
      else if (attempts >= maxAttempts) end(noPeerLeft(method.name));
      else again(self);
    },
    fail,
    expire: (): void => fail(deadlinePassed(method.name)),
  };
  const subscription: Subscription = {
    cancel: () => {
      if (!finish()) return;
      stop();
    },
    pause: () => {
      paused = true;
    },
    resume: () => {
      paused = false;
      credit();
    },
  };
  return { stream: self, subscription };
}
