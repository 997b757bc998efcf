import type { IncomingHttpHeaders } from "node:http";
import type { TLSSocket } from "node:tls";
import type { AtTurnEnd } from "./turn.js";

/** Name, value, name, value…: what `writeHead` takes without building an object. */
export type HeaderList = readonly string[];

/** Values in the order in which they stood, by the headers' names in lower case. */
export type DistinctHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** One request and its response. Either version of HTTP has one of its own. */
export interface Exchange {
  /** Also the `Audit-Id` of the response. */
  readonly id: string;
  readonly method: string;
  /** Undecoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams | undefined;
  header(name: string): string | undefined;
  /** Further headers of whatever is answered. */
  also: HeaderList;
  /** Every header, by its name in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The same, and of one that stood more than once each value by itself. */
  distinctHeaders(): DistinctHeaders;
  readonly socket: TLSSocket;
  /** @throws ApiError RequestEntityTooLarge, before anything is parsed; BadRequest for a body that was cut. */
  body(limit: number): Promise<Buffer>;
  send(code: number, headers: HeaderList, body: Buffer | string): void;
  /** Begins a response whose length is not known. */
  begin(code: number, headers: HeaderList): void;
  /** False when the client is behind: wait for `onDrain`. `written` runs once the body's memory is not read any more. */
  write(body: Buffer, written?: () => void): boolean;
  end(): void;
  /** Ends the connection in the middle: what was sent is not all. */
  cut(): void;
  onDrain(run: () => void): void;
  /** The client went away, or the response is done. */
  onClose(run: () => void): void;
  readonly begun: boolean;
  readonly closed: boolean;
  /** The code that was answered; 0 before. */
  readonly code: number;
}

export interface ExchangeContext {
  readonly id: string;
  readonly atTurnEnd: AtTurnEnd;
}

/** What every response says that says nothing else about caches. */
export function commonHeaders({ id, also }: Pick<Exchange, "id" | "also">, headers: HeaderList): string[] {
  const list = ["Audit-Id", id, ...also, ...headers];
  if (!headers.includes("Cache-Control")) list.push("Cache-Control", "no-cache, private");
  return list;
}

/** What node tells of a write: of one that failed it is not known what still reads its bytes. */
export function unlessFailed(written: () => void): (error?: Error | null) => void {
  return (error) => {
    if (error === undefined || error === null) written();
  };
}

/** A header as one text, however often it stood. */
export function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}

export interface Target {
  /** Undecoded. */
  readonly path: string;
  readonly query: URLSearchParams | undefined;
}

/** The target of a request line. */
export function parseTarget(asked: string): Target {
  const target = asked.startsWith("/") ? asked : withoutOrigin(asked);
  const mark = target.indexOf("?");
  if (mark < 0) return { path: target, query: undefined };
  return { path: target.slice(0, mark), query: new URLSearchParams(target.slice(mark + 1)) };
}

/** A target may be a whole URL (RFC 9112, 3.2.2), as clients of proxies write it: the same resource, whatever host it names. */
function withoutOrigin(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?]*/i, "");
  return rest.length === target.length || rest.startsWith("/") ? rest : `/${rest}`;
}
