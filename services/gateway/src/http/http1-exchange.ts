import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import {
  commonHeaders,
  type DistinctHeaders,
  type Exchange,
  type ExchangeContext,
  type HeaderList,
  headerText,
  parseTarget,
  unlessFailed,
} from "./exchange.js";
import { hasBody, readBody } from "./request-body.js";
import type { AtTurnEnd } from "./turn.js";

/** How much of a body that nobody wants is taken, and for how long. */
const unwantedBytes = 16 * 1024 * 1024;
const unwantedMs = 2_000;

/** A body that has not come whole; asked before its answer ends. */
function hasUnreadBody(request: IncomingMessage): boolean {
  return !request.complete && hasBody(request.headers);
}

/**
 * Reads the rest of a body away after its answer was written, then ends the answer: ended before, the connection
 * could be reset, and a client that sends all before it reads would never see why it was refused.
 */
function dropRest(request: IncomingMessage, end: () => void): void {
  let left = unwantedBytes;
  let over = false;
  const finish = (): void => {
    if (over) return;
    over = true;
    clearTimeout(patience);
    end();
    if (!request.complete) request.socket.destroySoon();
  };
  const patience = setTimeout(finish, unwantedMs);
  request.removeAllListeners("data");
  request.on("data", (part: Buffer) => {
    left -= part.length;
    if (left < 0) finish();
  });
  request.once("end", finish).once("close", finish).resume();
}

export interface Http1Context extends ExchangeContext {
  /** Whether the server is shutting down: a response that begins then is its connection's last. */
  readonly isLeaving: () => boolean;
}

/**
 * Node feeds its parser straight from the connection until somebody listens to the bytes. What was deciphered while the
 * parser pauses, because the answer before is not all sent, is then an error: a large body after a large answer was
 * refused with 400. Bytes that come as events wait instead, at 4 µs a request: only connections that had a large answer.
 */
function readInTurns(socket: TLSSocket): void {
  if (inTurns.has(socket)) return;
  inTurns.add(socket);
  const nothing = (): void => {};
  socket.on("data", nothing);
  socket.off("data", nothing);
}

const inTurns = new WeakSet<TLSSocket>();

/** So much of an answer, less than a socket's buffer, may be under way when the next request comes. */
const smallBytes = 8 * 1024;

class Http1Exchange implements Exchange {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams | undefined;
  also: HeaderList = [];
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #atTurnEnd: AtTurnEnd;
  readonly #isLeaving: () => boolean;

  constructor(request: IncomingMessage, response: ServerResponse, context: Http1Context) {
    this.#request = request;
    this.#response = response;
    this.id = context.id;
    this.#atTurnEnd = context.atTurnEnd;
    this.#isLeaving = context.isLeaving;
    this.method = request.method ?? "GET";
    const { path, query } = parseTarget(request.url ?? "/");
    this.path = path;
    this.query = query;
  }

  header(name: string): string | undefined {
    return headerText(this.#request.headers[name]);
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  distinctHeaders(): DistinctHeaders {
    return this.#request.headersDistinct;
  }

  get socket(): TLSSocket {
    return this.#request.socket as TLSSocket;
  }

  body(limit: number): Promise<Buffer> {
    return readBody(this.#request, this.#request.headers, limit);
  }

  send(code: number, headers: HeaderList, body: Buffer | string): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
    const list = commonHeaders(this, headers);
    list.push("Content-Length", String(length));
    if (this.#isLeaving()) list.push("Connection", "close");
    if (length > smallBytes) readInTurns(this.socket);
    response.writeHead(code, list);
    if (hasUnreadBody(this.#request)) {
      response.write(body);
      dropRest(this.#request, () => response.end());
    } else this.#atTurnEnd(() => response.end(body));
  }

  begin(code: number, headers: HeaderList): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    const list = commonHeaders(this, headers);
    if (this.#isLeaving()) list.push("Connection", "close");
    readInTurns(this.socket);
    response.writeHead(code, list);
    response.flushHeaders();
  }

  write(body: Buffer, written?: () => void): boolean {
    return written === undefined ? this.#response.write(body) : this.#response.write(body, unlessFailed(written));
  }

  end(): void {
    const response = this.#response;
    if (!response.writableEnded) response.end();
  }

  cut(): void {
    this.#response.destroy();
  }

  onDrain(run: () => void): void {
    this.#response.once("drain", run);
  }

  onClose(run: () => void): void {
    if (this.#response.destroyed) run();
    else this.#response.once("close", run);
  }

  get begun(): boolean {
    return this.#response.headersSent;
  }

  get closed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  get code(): number {
    return this.#response.headersSent ? this.#response.statusCode : 0;
  }
}

export function createHttp1Exchange(
  request: IncomingMessage,
  response: ServerResponse,
  context: Http1Context,
): Exchange {
  return new Http1Exchange(request, response, context);
}
