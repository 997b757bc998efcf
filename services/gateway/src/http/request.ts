import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { Peer } from "./peer.js";

/** The values of each header in the order in which they came, by its name in lower case. */
export type DistinctHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** What a client sent, whatever protocol it speaks. */
export interface HttpRequest {
  /** Also the `Audit-Id` of the response; the one that the client gave, where it is fit for a header. */
  readonly id: string;
  readonly method: string;
  /** Of HTTP: `1.1`, `2.0`. */
  readonly version: string;
  /** Path and query as they came. */
  readonly target: string;
  /** Undecoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams | undefined;
  /** Every header, by its name in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** A header by its name in lower case; one that came more than once is joined with commas. */
  header(name: string): string | undefined;
  /** Every header, with each value of a repeated one by itself. */
  distinctHeaders(): DistinctHeaders;
  readonly peer: Peer;
  /** @throws ApiError RequestEntityTooLarge, before anything is parsed; BadRequest for a body that was cut. */
  body(limit: number): Promise<Buffer>;
  /** The body as it comes, for who passes it on; undefined where there is none. Not to be read besides `body`. */
  bodyStream(): ComingBody | undefined;
}

export interface ComingBody {
  /** Fails where the body is cut. */
  readonly stream: Readable;
  /** How many bytes are sure to come, where the protocol sees to that; undefined where only the end tells. */
  readonly length: string | undefined;
}

/** A header as one text, however often it came. */
export function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}

/** A request target, taken apart (RFC 9112, 3.2). */
export interface RequestTarget {
  /** Path and query as they came. */
  readonly target: string;
  /** Undecoded. */
  readonly path: string;
  readonly query: URLSearchParams | undefined;
}

export function parseRequestTarget(asked: string): RequestTarget {
  const target = asked.startsWith("/") ? asked : withoutOrigin(asked);
  const mark = target.indexOf("?");
  if (mark < 0) return { target, path: target, query: undefined };
  return { target, path: target.slice(0, mark), query: new URLSearchParams(target.slice(mark + 1)) };
}

/** Clients of proxies send a whole URL (RFC 9112, 3.2.2): it names the same resource, whatever its host is. */
function withoutOrigin(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?]*/i, "");
  return rest.length === target.length || rest.startsWith("/") ? rest : `/${rest}`;
}

/** Longer ids are nobody's: they are for logs. */
const longestId = 128;
const visible = /^[\x21-\x7e]+$/;

/** The id by which a client wants to find its request in the audit log; undefined of none that is fit for that. */
export function givenId(headers: IncomingHttpHeaders): string | undefined {
  const given = headers["audit-id"];
  if (typeof given !== "string" || given.length > longestId || !visible.test(given)) return undefined;
  return given;
}
