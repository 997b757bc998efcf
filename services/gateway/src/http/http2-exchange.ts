import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders, type ServerHttp2Stream } from "node:http2";
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
import { readBody } from "./request-body.js";
import type { AtTurnEnd } from "./turn.js";

export interface Http2Context extends ExchangeContext {
  readonly headers: IncomingHttpHeaders;
  /** Name, value, name, value… as they came. */
  readonly raw: readonly string[];
  /** Of the connection that the stream is on. */
  readonly socket: TLSSocket;
}

class Http2Exchange implements Exchange {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams | undefined;
  also: HeaderList = [];
  readonly headers: IncomingHttpHeaders;
  readonly socket: TLSSocket;
  code = 0;
  readonly #stream: ServerHttp2Stream;
  readonly #raw: readonly string[];
  readonly #atTurnEnd: AtTurnEnd;

  constructor(stream: ServerHttp2Stream, { id, headers, raw, socket, atTurnEnd }: Http2Context) {
    this.#stream = stream;
    this.#atTurnEnd = atTurnEnd;
    this.id = id;
    this.headers = headers;
    this.#raw = raw;
    this.socket = socket;
    this.method = headers[":method"] ?? "GET";
    const { path, query } = parseTarget(headers[":path"] ?? "/");
    this.path = path;
    this.query = query;
  }

  header(name: string): string | undefined {
    return headerText(this.headers[name] ?? (name === "host" ? this.headers[":authority"] : undefined));
  }

  distinctHeaders(): DistinctHeaders {
    const distinct: Record<string, string[]> = Object.create(null);
    for (let i = 0; i + 1 < this.#raw.length; i += 2) {
      const name = (this.#raw[i] ?? "").toLowerCase();
      const values = distinct[name] ?? [];
      values.push(this.#raw[i + 1] ?? "");
      distinct[name] = values;
    }
    return distinct;
  }

  body(limit: number): Promise<Buffer> {
    return readBody(this.#stream, this.headers, limit);
  }

  send(code: number, headers: HeaderList, body: Buffer | string): void {
    if (this.begun || this.closed) return;
    this.code = code;
    const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
    const list = commonHeaders(this, headers);
    list.push("Content-Length", String(length));
    const stream = this.#stream;
    this.#atTurnEnd(() => {
      if (stream.destroyed) return;
      stream.respond(responseHeaders(code, list), { endStream: length === 0 || this.method === "HEAD" });
      if (length > 0 && this.method !== "HEAD") stream.end(body);
    });
  }

  begin(code: number, headers: HeaderList): void {
    if (this.begun || this.closed) return;
    this.code = code;
    this.#stream.respond(responseHeaders(code, commonHeaders(this, headers)), { endStream: this.method === "HEAD" });
  }

  write(body: Buffer, written?: () => void): boolean {
    return written === undefined ? this.#stream.write(body) : this.#stream.write(body, unlessFailed(written));
  }

  end(): void {
    if (!this.#stream.writableEnded) this.#stream.end();
  }

  cut(): void {
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  onDrain(run: () => void): void {
    this.#stream.once("drain", run);
  }

  onClose(run: () => void): void {
    if (this.#stream.destroyed) run();
    else this.#stream.once("close", run);
  }

  get begun(): boolean {
    return this.code !== 0;
  }

  get closed(): boolean {
    // The stream of a HEAD request has ended before anything was answered.
    return this.#stream.destroyed || (this.begun && this.#stream.writableEnded);
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

export function createHttp2Exchange(stream: ServerHttp2Stream, context: Http2Context): Exchange {
  return new Http2Exchange(stream, context);
}
