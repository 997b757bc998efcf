import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { badRequest, tooLarge } from "@orch/status/api-error.js";
import type { AtTurnEnd } from "./turn.js";

/** Name, value, name, value…: what `writeHead` takes without building an object. */
export type HeaderList = readonly string[];

/** One request and its response. The only file that knows node:http's shapes. */
export interface Exchange {
  /** Also the `Audit-Id` of the response. */
  readonly id: string;
  readonly method: string;
  /** Undecoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams | undefined;
  header(name: string): string | undefined;
  readonly socket: TLSSocket;
  /** @throws ApiError RequestEntityTooLarge, before anything is parsed; BadRequest for a body that was cut. */
  body(limit: number): Promise<Buffer>;
  send(code: number, headers: HeaderList, body: Buffer | string): void;
  /** Begins a response whose length is not known. */
  begin(code: number, headers: HeaderList): void;
  /** False when the client is behind: wait for `onDrain`. */
  write(body: Buffer): boolean;
  end(): void;
  /** Ends the connection in the middle: what was sent is not all. */
  cut(): void;
  onDrain(run: () => void): void;
  /** The client went away, or the response is done. */
  onClose(run: () => void): void;
  readonly begun: boolean;
  readonly closed: boolean;
  /** Gives the raw pair to a handler of node's own shape (Express); settles when it was answered. */
  handOver(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<void>;
  /** The code that was answered; 0 before. */
  readonly code: number;
}

/** How much of a body that nobody wants is taken, and for how long. */
const unwantedBytes = 16 * 1024 * 1024;
const unwantedMs = 2_000;

/** A body that has not come whole; asked before its answer ends. */
function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const { "content-length": length = "0", "transfer-encoding": encoding } = request.headers;
  return encoding !== undefined || length !== "0";
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

export interface ExchangeContext {
  readonly id: string;
  readonly atTurnEnd: AtTurnEnd;
  /** The server is shutting down: this connection's last response. */
  readonly closing: boolean;
}

class NodeExchange implements Exchange {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams | undefined;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #atTurnEnd: AtTurnEnd;
  readonly #closing: boolean;

  constructor(request: IncomingMessage, response: ServerResponse, context: ExchangeContext) {
    this.#request = request;
    this.#response = response;
    this.id = context.id;
    this.#atTurnEnd = context.atTurnEnd;
    this.#closing = context.closing;
    this.method = request.method ?? "GET";
    const target = request.url ?? "/";
    const mark = target.indexOf("?");
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.query = mark < 0 ? undefined : new URLSearchParams(target.slice(mark + 1));
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  get socket(): TLSSocket {
    return this.#request.socket as TLSSocket;
  }

  body(limit: number): Promise<Buffer> {
    const request = this.#request;
    const refuse = (): Error => tooLarge(`limit is ${limit}`);
    const announced = Number(request.headers["content-length"] ?? 0);
    if (announced > limit) return Promise.reject(refuse());
    return new Promise((resolve, reject) => {
      const parts: Buffer[] = [];
      let size = 0;
      request.on("data", (part: Buffer) => {
        size += part.length;
        if (size > limit) {
          request.removeAllListeners("data");
          request.pause();
          reject(refuse());
          return;
        }
        parts.push(part);
      });
      request.on("end", () => {
        const [only] = parts;
        resolve(parts.length === 1 && only !== undefined ? only : Buffer.concat(parts));
      });
      request.on("error", (error) => reject(badRequest("the request's body ended early", error)));
      request.on("close", () => reject(badRequest("the request's body ended early")));
    });
  }

  send(code: number, headers: HeaderList, body: Buffer | string): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
    const list = [
      "Content-Length",
      String(length),
      "Cache-Control",
      "no-cache, private",
      "Audit-Id",
      this.id,
      ...headers,
    ];
    if (this.#closing) list.push("Connection", "close");
    response.writeHead(code, list);
    if (hasUnreadBody(this.#request)) {
      response.write(body);
      dropRest(this.#request, () => response.end());
    } else this.#atTurnEnd(() => response.end(body));
  }

  begin(code: number, headers: HeaderList): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    const list = ["Cache-Control", "no-cache, private", "Audit-Id", this.id, ...headers];
    if (this.#closing) list.push("Connection", "close");
    response.writeHead(code, list);
    response.flushHeaders();
  }

  write(body: Buffer): boolean {
    return this.#response.write(body);
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

  handOver(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<void> {
    const response = this.#response;
    response.setHeader("Audit-Id", this.id);
    response.setHeader("Cache-Control", "no-cache, private");
    if (this.#closing) response.setHeader("Connection", "close");
    return new Promise((resolve) => {
      this.onClose(resolve);
      handler(this.#request, response);
    });
  }
}

export function createExchange(request: IncomingMessage, response: ServerResponse, context: ExchangeContext): Exchange {
  return new NodeExchange(request, response, context);
}
