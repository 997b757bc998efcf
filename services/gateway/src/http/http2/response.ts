import type { OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
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

export interface Http2ResponseContext {
  readonly id: string;
  /** Of the request: an answer to HEAD has no body. */
  readonly method: string;
  readonly atTurnEnd: AtTurnEnd;
}

/** Also its own body stream: most responses never have one. */
export class Http2Response implements HttpResponse, BodyStream {
  code = 0;
  sent = 0;
  waitedMs = 0;
  readonly #stream: ServerHttp2Stream;
  readonly #context: Http2ResponseContext;
  #added: HeaderList = noHeaders;

  constructor(stream: ServerHttp2Stream, context: Http2ResponseContext) {
    this.#stream = stream;
    this.#context = context;
  }

  addHeaders(headers: HeaderList): void {
    this.#added = bothOf(this.#added, headers);
  }

  send(code: number, headers: HeaderList, body: Buffer | string): void {
    if (this.code !== 0 || this.closed) return;
    this.code = code;
    const length = byteLength(body);
    if (!this.#isHead) this.sent = length;
    const list = this.#head(headers);
    list.push("Content-Length", String(length));
    const isEmpty = length === 0 || this.#isHead;
    const stream = this.#stream;
    this.#context.atTurnEnd(() => {
      if (stream.destroyed) return;
      stream.respond(responseHeaders(code, list), { endStream: isEmpty });
      if (!isEmpty) stream.end(body);
    });
  }

  stream(code: number, headers: HeaderList): BodyStream {
    if (this.code !== 0 || this.closed) return nowhere;
    this.code = code;
    const isHead = this.#isHead;
    this.#stream.respond(responseHeaders(code, this.#head(headers)), { endStream: isHead });
    return isHead ? nowhere : this;
  }

  takeOver(): undefined {
    return undefined;
  }

  #head(headers: HeaderList): string[] {
    return withCommonHeaders(this.#context.id, this.#added, headers);
  }

  get #isHead(): boolean {
    return this.#context.method === "HEAD";
  }

  write(part: Buffer, written?: () => void): boolean {
    this.sent += part.length;
    return written === undefined ? this.#stream.write(part) : this.#stream.write(part, unlessFailed(written));
  }

  end(): void {
    if (!this.#stream.writableEnded) this.#stream.end();
  }

  /** Closing the stream with a code would end its body first, and half a list would look whole. */
  cut(): void {
    this.#stream.destroy(new Error("the answer broke off"));
  }

  onDrain(run: () => void): void {
    this.#stream.once("drain", run);
  }

  onClose(run: () => void): void {
    if (this.#stream.destroyed) run();
    else this.#stream.once("close", run);
  }

  get closed(): boolean {
    // The stream of a HEAD request has ended before anything was answered.
    return this.#stream.destroyed || (this.code !== 0 && this.#stream.writableEnded);
  }
}

/** Names in lower case; those that stand more than once, for a warning each, as a list. */
function responseHeaders(code: number, list: HeaderList): OutgoingHttpHeaders {
  const headers: Record<string, string | string[] | number> = { ":status": code };
  for (let i = 0; i + 1 < list.length; i += 2) {
    const name = (list[i] ?? "").toLowerCase();
    const value = list[i + 1] ?? "";
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat().map(String);
  }
  return headers;
}
