import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { TransportRequest } from "@orch/client/http/transport.js";
import { tooLarge } from "@orch/status/api-error.js";
import type { Peer } from "../peer.js";
import { type ComingBody, type DistinctHeaders, type HttpRequest, headerText, parseRequestTarget } from "../request.js";

/** A request of a client in this process. */
export class LocalRequest implements HttpRequest {
  readonly id: string;
  readonly method: string;
  readonly version = "1.1";
  readonly target: string;
  readonly path: string;
  readonly query: URLSearchParams | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly peer: Peer;
  readonly #body: Buffer | undefined;

  constructor(id: string, { method, target, headers, body }: TransportRequest, peer: Peer) {
    this.id = id;
    this.method = method;
    const asked = parseRequestTarget(target);
    this.target = asked.target;
    this.path = asked.path;
    this.query = asked.query;
    this.peer = peer;
    this.#body = typeof body === "string" ? Buffer.from(body) : body;
    const length = this.#body === undefined ? {} : { "content-length": String(this.#body.length) };
    this.headers = { host: "localhost", ...headers, ...length };
  }

  header(name: string): string | undefined {
    return headerText(this.headers[name]);
  }

  distinctHeaders(): DistinctHeaders {
    const values = Object.entries(this.headers).map(([name, value]) => [
      name,
      value === undefined ? [] : [value].flat(),
    ]);
    return Object.fromEntries(values);
  }

  async body(limit: number): Promise<Buffer> {
    const body = this.#body ?? nothing;
    if (body.length > limit) throw tooLarge(`limit is ${limit}`);
    return body;
  }

  bodyStream(): ComingBody | undefined {
    const body = this.#body;
    return body === undefined ? undefined : { stream: Readable.from([body]), length: String(body.length) };
  }
}

const nothing = Buffer.alloc(0);
