import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "@orch/status/node-http.js";

export interface Page<Body extends string | Buffer = string> {
  readonly code: number;
  readonly type: string;
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An exchange: a page may look at what was asked for, and at whether its client stays. */
export interface Asked {
  readonly request: IncomingMessage;
  readonly response: Pick<ServerResponse, "once">;
}

export type Answer = (path: string, asked: Asked) => AnyPage | Promise<AnyPage>;

export type AnyPage = Page<string | Buffer>;

export const plain = "text/plain; charset=utf-8";
export const notFound: Page = { code: 404, type: plain, body: "404 page not found\n" };

/** Probes and scrapers send a line and some headers, at once. */
const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 30_000,
};
const mostConnections = 256;

export interface PageServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Listens; `host` undefined: at every address. Rejects where it cannot. */
export function servePages(
  { host, port }: { readonly host: string | undefined; readonly port: number },
  answer: Answer,
): Promise<PageServer> {
  const server = createServer(limits, (request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    Promise.resolve()
      .then(() => answer(path, { request, response }))
      .then(
        ({ code, type, body, headers = {} }) =>
          response.writeHead(code, { "Content-Type": type, "X-Content-Type-Options": "nosniff", ...headers }).end(body),
        () => response.writeHead(500).end(),
      );
  });
  server.maxConnections = mostConnections;
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () =>
      resolve({ port: portOf(server), stop: () => stop(server) }),
    );
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

const stop = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
