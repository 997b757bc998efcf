import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { Readable } from "node:stream";
import type { Peer } from "../peer.js";
import { type ComingBody, type DistinctHeaders, type HttpRequest, headerText, parseRequestTarget } from "../request.js";
import { readBody } from "../request-body.js";

export interface Http2RequestContext {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  /** Name, value, name, value… as they came. */
  readonly raw: readonly string[];
  readonly peer: Peer;
}

/** A class: closures for its methods would cost every request. */
export class Http2Request implements HttpRequest {
  readonly id: string;
  readonly method: string;
  readonly version = "2.0";
  readonly target: string;
  readonly path: string;
  readonly query: URLSearchParams | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly peer: Peer;
  readonly #stream: ServerHttp2Stream;
  readonly #raw: readonly string[];

  constructor(stream: ServerHttp2Stream, { id, headers, raw, peer }: Http2RequestContext) {
    this.#stream = stream;
    this.#raw = raw;
    this.id = id;
    this.headers = headers;
    this.peer = peer;
    this.method = headers[":method"] ?? "GET";
    const { target, path, query } = parseRequestTarget(headers[":path"] ?? "/");
    this.target = target;
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

  /** A client may say another length than it sends. */
  bodyStream(): ComingBody | undefined {
    if (this.#stream.endAfterHeaders) return undefined;
    return { stream: Readable.from(uncut(this.#stream), { objectMode: false }), length: undefined };
  }
}

/** A stream that its client cancels ends like a whole one. */
async function* uncut(stream: ServerHttp2Stream): AsyncGenerator<Buffer> {
  for await (const part of stream) yield part;
  if (stream.aborted) throw new Error("the request's body ended early");
}
