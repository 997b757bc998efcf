import { request as httpGet } from "node:http";
import type { TLSSocket } from "node:tls";
import { loadCatalog } from "@orch/api/catalog.js";
import { createNaming } from "@orch/naming/naming.js";
import { type Endpoint, httpRequest, once, open, sleep } from "../load/load.js";
import { createResponseReader, type Response } from "../load/response-reader.js";
import { percentiles } from "../percentile.js";
import { type Asked, requestsOf } from "./requests.js";
import { type Shape, shapes } from "./shapes.js";

export interface TurnsOptions {
  readonly endpoint: Endpoint;
  /** Where the server's meter (`meter.ts`) answers. */
  readonly meter: string;
  /** Of each body, about. */
  readonly sizes: readonly number[];
  /** How often each request is sent; the figures are of all but the first. */
  readonly rounds: number;
  /** Shapes and requests whose names have this text in them. */
  readonly match: RegExp;
}

interface Figures {
  /** Of the main thread's processor time: others on the machine do not count. */
  readonly longestMs: number;
  readonly clockMs: number;
  readonly gcMs: number;
  readonly rssMb: number;
}

/** What one request came to: codes, its own time, the server's longest turn, and another client's gets meanwhile. */
interface Turn {
  readonly what: string;
  readonly bytes: number;
  readonly code: number;
  readonly tookMs: number;
  readonly figures: Figures;
  readonly gets: readonly number[];
}

const get = "/api/v1/namespaces/turns/configmaps/small";
const getPauseMs = 1;
const calmMs = 3000;

/**
 * The longest turns of the event loop while one client sends large bodies or asks for large answers, one after the
 * other, and what a client notices who gets a small object meanwhile.
 */
export async function benchTurns(options: TurnsOptions): Promise<readonly string[]> {
  const { endpoint, sizes } = options;
  const catalog = loadCatalog(createNaming("orch"));
  await once(endpoint, { method: "POST", path: "/api/v1/namespaces", body: '{"metadata":{"name":"turns"}}' });
  const small = JSON.stringify({ metadata: { name: "small" }, data: { a: "b" } });
  await once(endpoint, { method: "POST", path: "/api/v1/namespaces/turns/configmaps", body: small });
  const connection = await connectTo(endpoint);
  const other = await startGets(endpoint);
  const lines: string[] = [];
  try {
    await sleep(500);
    other.take();
    await sleep(calmMs);
    const calm = other.take();
    lines.push(`calm: ${told(calm)}`);
    for (const bytes of sizes) {
      const all: Turn[] = [];
      for (const shape of shapes) {
        for (const asked of requestsOf(shape, bytes, catalog)) {
          if (!options.match.test(`${shape.name}: ${asked.what}`)) continue;
          const turn = await measure(shape, asked, { ...options, connection, other });
          if (turn === undefined) continue;
          all.push(turn);
          process.stderr.write(`${lineOf(turn)}\n`);
        }
      }
      lines.push(...summary(bytes, all));
    }
  } finally {
    other.stop();
    connection.close();
  }
  return lines;
}

interface Means extends TurnsOptions {
  readonly connection: Connection;
  readonly other: Gets;
}

async function measure(shape: Shape, asked: Asked, means: Means): Promise<Turn | undefined> {
  const { connection, other, rounds, meter } = means;
  const { body } = asked;
  // What changes the state is done once; what does not, again and again.
  const again = asked.method === "GET" || asked.path.includes("dryRun");
  await readMeter(meter);
  other.take();
  let tookMs = 0;
  let last: Response | undefined;
  for (let round = 0; round < (again ? rounds : 1); round++) {
    const began = performance.now();
    last = await connection.ask(asked);
    tookMs = Math.max(tookMs, performance.now() - began);
  }
  // What is done after the answer: the watch cache and the controllers hear of the change.
  await sleep(asked.method === "GET" ? 5 : 60);
  const figures = await readMeter(meter);
  if (last === undefined) return undefined;
  const what = `${shape.name}: ${asked.what}`;
  return { what, bytes: body?.length ?? last.bytes, code: last.code, tookMs, figures, gets: other.take() };
}

function lineOf({ what, bytes, code, tookMs, figures, gets }: Turn): string {
  const { longestMs, clockMs, gcMs, rssMb } = figures;
  const max = Math.max(0, ...gets);
  const cells = [code, `${(bytes / 2 ** 20).toFixed(2)} MiB`, `took ${tookMs.toFixed(0)} ms`];
  const more = [
    `turn ${longestMs.toFixed(1)} ms of CPU`,
    `${clockMs.toFixed(0)} by the clock`,
    `gc ${gcMs.toFixed(0)}`,
    `get ≤ ${max.toFixed(1)} ms`,
  ];
  return `${what.padEnd(48)} ${[...cells, ...more, `${rssMb.toFixed(0)} MB`].join(", ")}`;
}

/** A turn that is called long: of a body or an answer of 1 MiB. */
const longMs = 25;

function summary(bytes: number, turns: readonly Turn[]): readonly string[] {
  const size = `${bytes / 2 ** 20} MiB`;
  const worst = turns.toSorted((a, b) => b.figures.longestMs - a.figures.longestMs);
  const over = worst.filter(({ figures }) => figures.longestMs > longMs).length;
  const gets = turns.flatMap((turn) => turn.gets);
  return [
    `${size}: ${turns.length} requests, ${over} with a turn over ${longMs} ms; another client's gets meanwhile: ${told(gets)}`,
    ...worst.slice(0, 12).map((turn) => `  ${lineOf(turn)}`),
  ];
}

function told(latencies: readonly number[]): string {
  const at = percentiles(latencies);
  const [p50, p99, max] = [at(0.5), at(0.99), Math.max(0, ...latencies)].map((ms) => ms.toFixed(2));
  return `p50 ${p50} ms, p99 ${p99} ms, max ${max} ms of ${latencies.length} gets`;
}

function readMeter(socketPath: string): Promise<Figures> {
  return new Promise((resolve, reject) => {
    const asked = httpGet({ socketPath, path: "/", agent: false }, (response) => {
      let text = "";
      response.on("data", (data) => {
        text += String(data);
      });
      response.on("end", () => resolve(JSON.parse(text)));
    });
    asked.on("error", reject);
    asked.end();
  });
}

/** How long a connection may rest and be used again. */
const restMs = 1000;

interface Connection {
  ask(asked: Asked): Promise<Response>;
  close(): void;
}

/** One that is kept, and opened anew where the server closed it. */
async function connectTo(endpoint: Endpoint): Promise<Connection> {
  let socket: TLSSocket = await open(endpoint);
  let usedAt = performance.now();
  const settled = (): void => {
    socket.removeAllListeners("data");
    socket.removeAllListeners("close");
  };
  return {
    async ask({ method, path, contentType = "application/json", accept, body }) {
      // While a body was made the server may have closed it, and nobody here has heard of it yet.
      if (socket.destroyed || performance.now() - usedAt > restMs) {
        socket.destroy();
        socket = await open(endpoint);
      }
      usedAt = performance.now();
      const more = accept === undefined ? {} : { accept };
      const head = httpRequest(endpoint, { method, path, ...more }).subarray(0, -2);
      const content = `Content-Type: ${contentType}\r\nContent-Length: ${body?.length ?? 0}\r\n\r\n`;
      return new Promise((resolve, reject) => {
        settled();
        const reader = createResponseReader((response) => {
          usedAt = performance.now();
          resolve(response);
        });
        socket.on("data", (data) => reader.push(data));
        socket.once("close", () => reject(new Error(`${method} ${path}: the connection closed before the answer`)));
        socket.write(Buffer.concat([head, Buffer.from(content), body ?? Buffer.alloc(0)]));
      });
    },
    close: () => socket.destroy(),
  };
}

interface Gets {
  /** Latencies since the last time. */
  take(): readonly number[];
  stop(): void;
}

/** Another client, which gets a small object a moment after the last answer. */
async function startGets(endpoint: Endpoint): Promise<Gets> {
  const socket = await open(endpoint);
  let latencies: number[] = [];
  let sent = 0;
  const request = httpRequest(endpoint, { method: "GET", path: get });
  const next = (): void => {
    sent = performance.now();
    socket.write(request);
  };
  const reader = createResponseReader(() => {
    latencies.push(performance.now() - sent);
    setTimeout(next, getPauseMs);
  });
  socket.on("data", (data) => reader.push(data));
  next();
  return {
    take() {
      const taken = latencies;
      latencies = [];
      return taken;
    },
    stop: () => socket.destroy(),
  };
}
