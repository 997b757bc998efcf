import type { IncomingHttpHeaders } from "node:http";
import type { Peer } from "../peer.js";
import { type DistinctHeaders, type HttpRequest, headerText, parseRequestTarget } from "../request.js";
import type { Upgrade } from "./upgrade.js";

export interface WebSocketRequestContext {
  /** Of the protocol that is a bearer token: what stands before it. */
  readonly tokenProtocol: string;
  readonly peer: Peer;
}

/** The request of an upgrade. It has no body: the parser leaves what follows to the other protocol. */
export function webSocketRequest(
  { request, id }: Upgrade,
  { tokenProtocol, peer }: WebSocketRequestContext,
): HttpRequest {
  const headers = withToken(request.headers, tokenProtocol);
  return {
    id,
    method: request.method ?? "GET",
    version: request.httpVersion,
    ...parseRequestTarget(request.url ?? "/"),
    headers,
    header: (name) => headerText(headers[name]),
    distinctHeaders: (): DistinctHeaders => request.headersDistinct,
    peer,
    body: async () => Buffer.alloc(0),
    bodyStream: () => undefined,
  };
}

/** Browsers cannot send headers: the token is one of the protocols that they offer. */
function withToken(headers: IncomingHttpHeaders, prefix: string): IncomingHttpHeaders {
  const offered = headers["sec-websocket-protocol"]?.split(",").map((protocol) => protocol.trim()) ?? [];
  const token = offered.find((protocol) => protocol.startsWith(prefix))?.slice(prefix.length);
  if (token === undefined || headers.authorization !== undefined) return headers;
  return { ...headers, authorization: `Bearer ${Buffer.from(token, "base64url").toString("utf8")}` };
}
