import { Readable } from "node:stream";
import { tooLarge } from "@orch/status/api-error.js";
import type { Exchange } from "../http/exchange.js";
import type { Peer } from "../http/peer.js";
import { type HttpRequest, headerText, parseRequestTarget } from "../http/request.js";
import {
  type BodyStream,
  byteLength,
  type HeaderList,
  type HttpResponse,
  nowhere,
  withCommonHeaders,
} from "../http/response.js";
import { deferred } from "./deferred.js";

export interface FakeRequest {
  readonly method?: string;
  /** Path and query. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

/** What a client would have got. */
export interface Answered {
  readonly code: number;
  readonly headers: HeaderList;
  readonly body: Buffer;
  /** False of one that was cut. */
  readonly whole?: boolean;
  /** The values of a header, in order. */
  header(name: string): readonly string[];
}

export interface FakeExchange extends Exchange {
  /** Settles once the response ended. */
  readonly answered: Promise<Answered>;
  /** What the response was told, in order: `send …`, `stream …`, `write …`, `end`, `cut`. */
  readonly told: readonly string[];
  /** The client goes away. */
  leave(): void;
}

const id = "fake";
/** Its client showed no certificate. */
const peer: Peer = { address: "", certificate: undefined };

/** An exchange without a network: the client is never behind and stays until it has its answer. */
export function fakeExchange(asked: FakeRequest): FakeExchange {
  const told: string[] = [];
  const { response, answered, leave } = fakeResponse((what) => void told.push(what));
  return { request: fakeRequest(asked), response, answered, told, leave };
}

function fakeRequest({ method = "GET", target, headers = {}, body = "" }: FakeRequest): HttpRequest {
  return {
    id,
    method,
    version: "1.1",
    ...parseRequestTarget(target),
    headers,
    header: (name) => headerText(headers[name]),
    distinctHeaders: () => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()])),
    peer,
    async body(limit) {
      if (body.length > limit) throw tooLarge(`limit is ${limit}`);
      return Buffer.from(body);
    },
    bodyStream: () =>
      body.length === 0 ? undefined : { stream: Readable.from([Buffer.from(body)]), length: undefined },
  };
}

function fakeResponse(tell: (what: string) => void): Omit<FakeExchange, "request" | "told"> {
  const parts: Buffer[] = [];
  const closers: (() => void)[] = [];
  let added: HeaderList = [];
  let head = { code: 0, headers: added };
  const headOf = (code: number, headers: HeaderList) => ({ code, headers: withCommonHeaders(id, added, headers) });
  let closed = false;
  const { promise: answered, resolve, reject } = deferred<Answered>();
  answered.catch(() => {});
  const leave = (): void => {
    if (closed) return;
    closed = true;
    if (head.code === 0) reject(new Error("the client went away"));
    for (const run of closers) run();
  };
  const end = (whole: boolean): void => {
    const { headers } = head;
    resolve({ ...head, body: Buffer.concat(parts), whole, header: (name) => valuesOf(headers, name) });
    leave();
  };
  const stream: BodyStream = {
    write(part, written) {
      tell(`write ${part.toString()}`);
      parts.push(Buffer.from(part));
      written?.();
      return true;
    },
    end() {
      tell("end");
      end(true);
    },
    cut() {
      tell("cut");
      end(false);
    },
    onDrain: (run) => run(),
  };
  const response: HttpResponse = {
    waitedMs: 0,
    addHeaders(headers) {
      added = [...added, ...headers];
    },
    send(code, headers, body) {
      if (head.code !== 0 || closed) return;
      tell(`send ${headers.join(" ")}: ${body.toString()}`);
      head = headOf(code, [...headers, "Content-Length", String(byteLength(body))]);
      parts.push(Buffer.from(body));
      end(true);
    },
    stream(code, headers) {
      if (head.code !== 0 || closed) return nowhere;
      tell(`stream ${headers.join(" ")}`);
      head = headOf(code, headers);
      return stream;
    },
    takeOver: () => undefined,
    onClose(run) {
      if (closed) run();
      else closers.push(run);
    },
    get closed() {
      return closed;
    },
    get code() {
      return head.code;
    },
    get sent() {
      return parts.reduce((sum, part) => sum + part.length, 0);
    },
  };
  return { response, answered, leave };
}

function valuesOf(headers: HeaderList, name: string): readonly string[] {
  return headers.filter((_, i) => i % 2 === 1 && headers[i - 1]?.toLowerCase() === name.toLowerCase());
}
