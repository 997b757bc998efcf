import type { Duplex } from "node:stream";

/** Name, value, name, value…: what `writeHead` takes without building an object. */
export type HeaderList = readonly string[];

export const noHeaders: HeaderList = [];

export function bothOf(some: HeaderList, others: HeaderList): HeaderList {
  return some.length === 0 ? others : [...some, ...others];
}

/**
 * Where the answer to one request goes, whatever protocol the client speaks. The first `send` or `stream` is the answer: a
 * later one, or one to a client that went away, does nothing.
 */
export interface HttpResponse {
  /** Further headers of whatever the answer will be. */
  addHeaders(headers: HeaderList): void;
  /** A whole answer. */
  send(code: number, headers: HeaderList, body: Buffer | string): void;
  /** Begins an answer whose body comes in parts. */
  stream(code: number, headers: HeaderList): BodyStream;
  /**
   * The connection of a client that asked to go on in another protocol, for who answers the handshake itself; undefined where
   * it did not ask, or was answered. From then on nothing else is answered here.
   */
  takeOver(): TakenOver | undefined;
  /** Runs once the client went away or the response is done; at once where that is so already. */
  onClose(run: () => void): void;
  /** The answer has ended, or nobody is there to take it. */
  readonly closed: boolean;
  /** The code that was answered; 0 before. */
  readonly code: number;
  /** Bytes of the body that were given to the connection so far. */
  readonly sent: number;
  /** Milliseconds that the request has waited for others than this server: in a queue, and for webhooks. */
  waitedMs: number;
}

export interface TakenOver {
  readonly connection: Duplex;
  /** Bytes that came after the request. */
  readonly head: Buffer;
  /** Headers of every answer. */
  readonly headers: HeaderList;
}

/** The body of an answer that has begun. */
export interface BodyStream {
  /** False when the client is behind: wait for `onDrain`. `written` runs once the part's memory is not read any more. */
  write(part: Buffer, written?: () => void): boolean;
  end(): void;
  /** Ends in the middle, so that the client sees that a part is missing. */
  cut(): void;
  /** Runs once, when the client has caught up. */
  onDrain(run: () => void): void;
}

/** The body of an answer that nobody takes. */
export const nowhere: BodyStream = {
  write(_part, written) {
    written?.();
    return true;
  },
  end() {},
  cut() {},
  onDrain() {},
};

/** The headers of a response: those of every one, and no caching where nothing else is said of it. */
export function withCommonHeaders(id: string, added: HeaderList, headers: HeaderList): string[] {
  const list = ["Audit-Id", id, ...added, ...headers];
  if (!headers.includes("Cache-Control")) list.push("Cache-Control", "no-cache, private");
  return list;
}

/** For the callback of a write: after one that failed, node may still read the bytes. */
export function unlessFailed(written: () => void): (error?: Error | null) => void {
  return (error) => {
    if (error === undefined || error === null) written();
  };
}

export function byteLength(body: Buffer | string): number {
  return typeof body === "string" ? Buffer.byteLength(body) : body.length;
}
