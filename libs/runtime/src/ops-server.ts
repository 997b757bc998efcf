import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Health, parseHealthPath } from "./health.js";
import { type Metrics, metricsContentType } from "./metrics.js";
import type { Service } from "./service.js";

export interface OpsServerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly health: Health;
  readonly metrics: Metrics;
}

export interface OpsServer extends Service {
  /** Known once started. */
  readonly port: number;
}

const plain = "text/plain; charset=utf-8";

/** Health and metrics of a service that has no HTTP surface of its own, for probes and scrapers. */
export function createOpsServer({ host, port, health, metrics }: OpsServerOptions): OpsServer {
  const answer = async (target: string): Promise<{ code: number; type: string; body: string }> => {
    const url = new URL(target, "http://localhost");
    if (url.pathname === "/metrics") return { code: 200, type: metricsContentType, body: await metrics.text() };
    const asked = parseHealthPath(url.pathname, url.searchParams);
    if (asked === undefined) return { code: 404, type: plain, body: "404 page not found\n" };
    const { code, body } = await health.answer(asked.kind, asked.query);
    return { code, type: plain, body };
  };
  const server = createServer((request, response) => {
    answer(request.url ?? "/").then(
      ({ code, type, body }) => response.writeHead(code, { "Content-Type": type }).end(body),
      () => response.writeHead(500).end(),
    );
  });
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
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    get port() {
      return bound;
    },
  };
}
