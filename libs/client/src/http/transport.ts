import type { HeaderValues } from "../credentials/impersonation.js";

/** Bytes of an answer as they come; whoever stops reading before the end destroys it. */
export type StreamBody = AsyncIterable<Buffer> & { destroy(): unknown };

export interface TransportRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Names in lower case. As whom is said by the transport, not here. */
  readonly headers: HeaderValues;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
}

/** A whole answer. Its body is not to be written to: it may be the server's own. */
export interface TransportAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** An answer that has begun. A part of its body is good until the next one is asked for. */
export interface TransportStream {
  readonly status: number;
  readonly body: StreamBody;
}

/**
 * How a client's requests reach a server, and as whom: over the network, or within the process. An answer is an answer
 * whatever its code. What keeps one away is thrown as it is, an aborted signal's reason too; what that means for a request the
 * client says. Every implementation runs one suite.
 */
export interface Transport {
  send(request: TransportRequest): Promise<TransportAnswer>;
  open(request: TransportRequest): Promise<TransportStream>;
  /** Ends whatever is under way. */
  close(): Promise<void>;
}
