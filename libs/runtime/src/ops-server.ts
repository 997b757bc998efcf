import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { TLSSocket } from "node:tls";
import { createServer } from "@orch/status/node-http.js";
import type { FlagValues } from "./flags/flags.js";
import type { opsFlags, PeerSecurity, ServiceTls } from "./flags/rpc-flags.js";
import { type Health, parseHealthPath } from "./health.js";
import { type Metrics, metricsContentType } from "./metrics.js";
import type { OpsAnswer, OpsPage, ProfilingAnswer, ProfilingPages, Service } from "./service.js";

/** Flags that say where it listens and who may read metrics. */
export interface OpsServerValues extends FlagValues<typeof opsFlags> {
  readonly "bind-address": string;
  /** 0 picks a free one. */
  readonly "metrics-port": number;
}

export interface OpsServerDeps {
  readonly health: Health;
  readonly metrics: Metrics;
  /** Serves TLS, and metrics to those alone that the flags name. Without it: plain, and everything to everybody. */
  readonly tls: ServiceTls | undefined;
  readonly pages?: readonly OpsPage[];
  /** For those who may read metrics; no such pages where absent. */
  readonly profiling?: ProfilingPages | undefined;
}

export interface OpsServer extends Service {
  /** Known once started. */
  readonly port: number;
}

const plain = "text/plain; charset=utf-8";
const notFound: OpsAnswer = { code: 404, type: plain, body: "404 page not found\n" };
const forbidden: OpsAnswer = { code: 403, type: plain, body: "forbidden\n" };
/** Probes and scrapers send a line and some headers, at once. */
const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 30_000,
};
const handshakeMs = 5_000;
const mostConnections = 512;

/**
 * Health and metrics of a service that has no HTTP surface of its own, for probes and scrapers. Probes have no
 * certificates: they are told whether it is well, and no more.
 */
export function createOpsServer(
  values: OpsServerValues,
  { health, metrics, tls, pages = [], profiling }: OpsServerDeps,
): OpsServer {
  const { "bind-address": host, "metrics-port": port } = values;
  const security = tls?.with(values["metrics-allowed-peers"]);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<ProfilingAnswer> => {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (url.pathname === "/metrics") {
      if (!mayScrape(request, security)) return forbidden;
      return { code: 200, type: metricsContentType, body: await metrics.text() };
    }
    const page = pages.find(({ path }) => path === url.pathname);
    if (page !== undefined) return mayScrape(request, security) ? page.answer(url.searchParams) : forbidden;
    if (profiling?.covers(url.pathname) === true) {
      if (!mayScrape(request, security)) return forbidden;
      const onClose = (run: () => void): void => void response.once("close", run);
      const { method = "GET" } = request;
      return profiling.answer({ method, path: url.pathname, query: url.searchParams, onClose });
    }
    const asked = parseHealthPath(url.pathname, url.searchParams);
    if (asked === undefined) return notFound;
    const { code, body } = await health.answer(asked.kind, asked.query);
    return { code, type: plain, body };
  };
  const { server, stop } = listenerOf(security, (request, response) => {
    answer(request, response).then(
      ({ code, type, body, headers = {} }) => response.writeHead(code, { "Content-Type": type, ...headers }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  server.maxConnections = mostConnections;
  let bound = port;
  return {
    start: () =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen({ host, port }, () => {
          bound = (server.address() as AddressInfo).port;
          resolve();
        });
      }),
    stop: () =>
      new Promise((resolve) => {
        stop();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    get port() {
      return bound;
    },
  };
}

function listenerOf(
  security: PeerSecurity | undefined,
  listener: RequestListener,
): { readonly server: Server; readonly stop: () => void } {
  if (security === undefined) return { server: createServer(limits, listener), stop: () => {} };
  const { credentials } = security;
  const asked = { requestCert: true, rejectUnauthorized: false, handshakeTimeout: handshakeMs };
  const server = createTlsServer({ ...limits, ...asked, ...credentials.current() }, listener);
  const stop = credentials.onChange(() => server.setSecureContext(credentials.current()));
  // A handshake that fails is the other side's to know.
  server.on("tlsClientError", () => {});
  return { server, stop };
}

function mayScrape({ socket }: IncomingMessage, security: PeerSecurity | undefined): boolean {
  if (security === undefined) return true;
  if (!(socket instanceof TLSSocket) || !socket.authorized) return false;
  return security.accepts(socket.getPeerCertificate()).accepted;
}
