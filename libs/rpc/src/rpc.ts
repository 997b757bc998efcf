import type { ApiError } from "@orch/status/api-error.js";
import type { Span } from "@orch/status/span.js";

/**
 * The seam between services: calls and streams over a few long-lived connections,
 * or in the same process. Both implementations run one suite.
 *
 * Messages are immutable plain values; a `bytes` field is a Buffer that the receiver may keep only by copying.
 * Every failure is an ApiError and arrives unchanged. The transport itself fails a call with
 * `ServiceUnavailable` when it was surely not executed, `Timeout` when its deadline passed, and
 * `outcomeUnknown` when the connection broke after it was sent. `ServiceUnavailable` made by the transport
 * is retried on another peer while the deadline lasts; a call marked `idempotent` also after a break.
 */
export interface UnaryMethod<Req, Res> {
  readonly kind: "unary";
  readonly name: string;
  /** The call may be sent again after a broken connection. */
  readonly idempotent: boolean;
  readonly request: MessageCodec<Req>;
  readonly response: MessageCodec<Res>;
}

/** One request, many answers. */
export interface StreamMethod<Req, Res> {
  readonly kind: "stream";
  readonly name: string;
  readonly request: MessageCodec<Req>;
  readonly response: MessageCodec<Res>;
}

/** Plain value ↔ bytes (proto3 wire format of `proto/`). Not called by the in-process transport. */
export interface MessageCodec<T> {
  encode(value: T): Uint8Array;
  /** Bytes fields of the result are views of `bytes`. */
  decode(bytes: Uint8Array): T;
}

export interface CallOptions {
  /** Milliseconds from now; the server sees what is left of it. */
  readonly deadlineMs?: number;
  /** What the call is part of, where that is traced. */
  readonly span?: Span | undefined;
}

/** The calling end: one per peer service, balancing over its instances. */
export interface Caller {
  call<Req, Res>(method: UnaryMethod<Req, Res>, request: Req, options?: CallOptions): Promise<Res>;
  /** The receiver is never called before `open` returned. */
  open<Req, Res>(
    method: StreamMethod<Req, Res>,
    request: Req,
    receiver: Receiver<Res>,
    options?: CallOptions,
  ): Subscription;
  /** Whether at least one instance is connected. */
  readonly ready: boolean;
  close(): Promise<void>;
}

export interface Receiver<Res> {
  message(message: Res): void;
  /** Called exactly once, last, unless the subscription was cancelled. */
  end(error?: ApiError): void;
}

export interface Subscription {
  cancel(): void;
  /** After `pause` at most the sender's window arrives; the sender then sees backpressure. */
  pause(): void;
  resume(): void;
}

/** The serving end. */
export interface Services {
  unary<Req, Res>(method: UnaryMethod<Req, Res>, handler: UnaryHandler<Req, Res>): void;
  stream<Req, Res>(method: StreamMethod<Req, Res>, handler: StreamHandler<Req, Res>): void;
}

export type UnaryHandler<Req, Res> = (request: Req, call: ServerCall) => Res | Promise<Res>;
export type StreamHandler<Req, Res> = (request: Req, sender: Sender<Res>) => void;

export interface ServerCall {
  /** Absolute, in the clock's milliseconds; undefined without a deadline. */
  readonly deadline: number | undefined;
  /** True after the caller has gone or cancelled. */
  readonly cancelled: boolean;
  onCancel(run: () => void): void;
  /** The caller's; undefined where nothing is traced. Events travel back with the answer. */
  readonly span: Span | undefined;
}

export interface Sender<Res> extends ServerCall {
  /**
   * Queues a message; false when more than the stream's window waits: the handler should then stop until
   * `onDrain`, and end a stream that cannot be held back. The same message object sent to many streams of
   * one tick is encoded once and crosses each connection once.
   */
  send(message: Res): boolean;
  /** Bytes that were sent and that the receiver has not taken yet. */
  readonly pendingBytes: number;
  /** Runs whenever the window has room again; registered once for the stream's life. */
  onDrain(run: () => void): void;
  /** Ends the stream. With an error, messages that still wait are dropped. */
  end(error?: ApiError): void;
}
