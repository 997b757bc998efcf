import { connect, type TLSSocket } from "node:tls";
import { percentiles } from "../percentile.js";
import { createResponseReader, type Response } from "./response-reader.js";

export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly token: string;
}

export interface Load {
  readonly endpoints: readonly Endpoint[];
  readonly connections: number;
  readonly warmupMs: number;
  readonly durationMs: number;
  /** The next request's bytes; called once a request, so that each may differ. Its connection rests where there is none. */
  readonly request: (endpoint: Endpoint) => Buffer | undefined;
  /** Codes that count as success. */
  readonly success: (code: number) => boolean;
  /** Fewer than could be: so many on all connections together. */
  readonly mostPerSecond?: number | undefined;
  /** Goes on after its time until so many were answered, ten times as long at most. */
  readonly least?: number | undefined;
  /** Ends the load before its time. */
  readonly signal?: AbortSignal;
}

export interface Measured {
  readonly perSecond: number;
  readonly bytesPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly requests: number;
  readonly failures: number;
}

/** Closed loop: each connection sends its next request when the last was answered. `onStart` marks the end of the warm-up. */
export async function runLoad(load: Load, onStart: () => void): Promise<Measured> {
  const latencies: number[] = [];
  let bytes = 0;
  let failures = 0;
  // Connections ask as soon as they are open: without a warm-up what is answered before the last of them counts, too.
  let counting = load.warmupMs === 0;
  let running = true;
  const pauseMs = load.mostPerSecond === undefined ? 0 : (1000 * load.connections) / load.mostPerSecond;
  const sockets = await Promise.all(
    Array.from({ length: load.connections }, async (_, i) => {
      const endpoint = load.endpoints[i % load.endpoints.length];
      if (endpoint === undefined) throw new TypeError("no endpoint");
      const socket = await open(endpoint);
      let sent = 0;
      const send = (): void => {
        sent = performance.now();
        const request = load.request(endpoint);
        if (request !== undefined) socket.write(request);
      };
      const next = (): void => {
        const left = sent + pauseMs - performance.now();
        if (left < 1) send();
        else setTimeout(send, left);
      };
      const reader = createResponseReader((response: Response) => {
        if (counting) {
          latencies.push(performance.now() - sent);
          bytes += response.bytes;
          if (!load.success(response.code)) failures += 1;
        }
        if (running && load.signal?.aborted !== true) next();
      });
      socket.on("data", (data) => reader.push(data));
      send();
      return socket;
    }),
  );
  await sleep(load.warmupMs);
  onStart();
  counting = true;
  const began = performance.now();
  await sleep(load.durationMs, load.signal);
  while (
    latencies.length < (load.least ?? 0) &&
    performance.now() < began + 10 * load.durationMs &&
    load.signal?.aborted !== true
  ) {
    await sleep(1);
  }
  counting = false;
  const seconds = (performance.now() - began) / 1000;
  running = false;
  for (const socket of sockets) socket.destroy();
  const at = percentiles(latencies);
  return {
    perSecond: latencies.length / seconds,
    bytesPerSecond: bytes / seconds,
    p50: at(0.5),
    p99: at(0.99),
    requests: latencies.length,
    failures,
  };
}

export function open(endpoint: Endpoint): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    // The certificate is the bench's own server's: what is measured is the work, not the trust.
    const socket = connect({ host: endpoint.host, port: endpoint.port, rejectUnauthorized: false }, () => {
      socket.setNoDelay(true);
      socket.off("error", reject);
      socket.on("error", () => {});
      resolve(socket);
    });
    socket.once("error", reject);
  });
}

export function httpRequest(
  endpoint: Endpoint,
  request: {
    readonly method: string;
    readonly path: string;
    readonly body?: string;
    readonly accept?: string;
    readonly contentType?: string;
  },
): Buffer {
  const { method, path, body, accept = "application/json", contentType = "application/json" } = request;
  const content =
    body === undefined ? "" : `Content-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  const auth = endpoint.token === "" ? "" : `Authorization: Bearer ${endpoint.token}\r\n`;
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: bench\r\nAccept: ${accept}\r\n${auth}${content}\r\n${body ?? ""}`,
  );
}

/** One request on a connection of its own. */
export async function once(
  endpoint: Endpoint,
  request: { method: string; path: string; body?: string; contentType?: string },
): Promise<Response> {
  const socket = await open(endpoint);
  try {
    return await new Promise<Response>((resolve, reject) => {
      const reader = createResponseReader(resolve, true);
      socket.on("data", (data) => reader.push(data));
      socket.on("close", () => reject(new Error("the connection closed before the answer")));
      socket.write(httpRequest(endpoint, request));
    });
  } finally {
    socket.destroy();
  }
}

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
