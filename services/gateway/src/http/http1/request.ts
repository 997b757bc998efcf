import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Peer, PeerOf } from "../peer.js";
import { type ComingBody, type DistinctHeaders, type HttpRequest, headerText, parseRequestTarget } from "../request.js";
import { hasBody, readBody } from "../request-body.js";

/** A class: closures for its methods would cost every request. */
export class Http1Request implements HttpRequest {
  readonly id: string;
  readonly method: string;
  readonly target: string;
  readonly path: string;
  readonly query: URLSearchParams | undefined;
  readonly #message: IncomingMessage;
  readonly #peerOf: PeerOf;

  constructor(id: string, message: IncomingMessage, peerOf: PeerOf) {
    this.#message = message;
    this.#peerOf = peerOf;
    this.id = id;
    this.method = message.method ?? "GET";
    const { target, path, query } = parseRequestTarget(message.url ?? "/");
    this.target = target;
    this.path = path;
    this.query = query;
  }

  get version(): string {
    return this.#message.httpVersion;
  }

  get headers(): IncomingHttpHeaders {
    return this.#message.headers;
  }

  header(name: string): string | undefined {
    return headerText(this.#message.headers[name]);
  }

  distinctHeaders(): DistinctHeaders {
    return this.#message.headersDistinct;
  }

  get peer(): Peer {
    return this.#peerOf(this.#message.socket);
  }

  body(limit: number): Promise<Buffer> {
    return readBody(this.#message, this.#message.headers, limit);
  }

  bodyStream(): ComingBody | undefined {
    const { headers } = this.#message;
    return hasBody(headers) ? { stream: this.#message, length: headers["content-length"] } : undefined;
  }
}
