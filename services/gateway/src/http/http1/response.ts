import type { ServerResponse } from "node:http";
import {
  type BodyStream,
  bothOf,
  byteLength,
  type HeaderList,
  type HttpResponse,
  noHeaders,
  nowhere,
  unlessFailed,
  withCommonHeaders,
} from "../response.js";
import type { AtTurnEnd } from "../turn.js";
import { readInTurns } from "./read-in-turns.js";
import { dropRest, hasUnreadBody } from "./unread-body.js";

/** What all responses of a server share. */
export interface Http1ResponseContext {
  readonly atTurnEnd: AtTurnEnd;
  /** Whether the server is shutting down: a response that begins then is its connection's last. */
  readonly isLeaving: () => boolean;
}

/** The next request may arrive while this many bytes of an answer are under way: less than a socket's buffer. */
const smallBytes = 8 * 1024;

/** Also its own body stream: most responses never have one. */
export class Http1Response implements HttpResponse, BodyStream {
  readonly #id: string;
  readonly #response: ServerResponse;
  readonly #context: Http1ResponseContext;
  #added: HeaderList = noHeaders;
  sent = 0;
  waitedMs = 0;

  constructor(id: string, response: ServerResponse, context: Http1ResponseContext) {
    this.#id = id;
    this.#response = response;
    this.#context = context;
  }

  addHeaders(headers: HeaderList): void {
    this.#added = bothOf(this.#added, headers);
  }

  send(code: number, headers: HeaderList, body: Buffer | string): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    const length = byteLength(body);
    this.sent = length;
    const list = this.#head(headers);
    list.push("Content-Length", String(length));
    const { req: message } = response;
    if (length > smallBytes) readInTurns(message.socket);
    response.writeHead(code, list);
    if (hasUnreadBody(message)) {
      response.write(body);
      dropRest(message, () => response.end());
    } else this.#context.atTurnEnd(() => response.end(body));
  }

  stream(code: number, headers: HeaderList): BodyStream {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return nowhere;
    readInTurns(response.req.socket);
    response.writeHead(code, this.#head(headers));
    response.flushHeaders();
    return this;
  }

  takeOver(): undefined {
    return undefined;
  }

  #head(headers: HeaderList): string[] {
    const list = withCommonHeaders(this.#id, this.#added, headers);
    if (this.#context.isLeaving()) list.push("Connection", "close");
    return list;
  }

  write(part: Buffer, written?: () => void): boolean {
    this.sent += part.length;
    return written === undefined ? this.#response.write(part) : this.#response.write(part, unlessFailed(written));
  }

  end(): void {
    if (!this.#response.writableEnded) this.#response.end();
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

  get closed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  get code(): number {
    return this.#response.headersSent ? this.#response.statusCode : 0;
  }
}
