import type { TLSSocket } from "node:tls";
import { percentiles } from "../percentile.js";
import { type Endpoint, httpRequest, open, sleep } from "./load.js";
import { createResponseReader } from "./response-reader.js";
import { openMany } from "./watch-load.js";

export interface PacedWatch {
  readonly endpoints: readonly Endpoint[];
  readonly watchers: number;
  readonly watchPath: string;
  /** The request that makes event number `index`; the event holds {@link mark} and {@link indexText} of it. */
  readonly event: (endpoint: Endpoint, index: number) => Buffer;
  readonly writesPerSecond: number;
  readonly warmupMs: number;
  readonly durationMs: number;
}

export interface PacedMeasured {
  readonly deliveredPerSecond: number;
  /** Deliveries. */
  readonly delivered: number;
  /** Milliseconds from the writer's request until an event was read, over all events and watchers: the write is in it. */
  readonly p50: number;
  readonly p99: number;
  /** From the answer to the writer; 0 where the event came first. */
  readonly p99AfterAnswer: number;
}

const digits = 8;
const writers = 32;
const newline = 0x0a;

/** What stands before an event's number in its bytes. */
export const mark = Buffer.from('"text":"');

export function indexText(index: number): string {
  return String(index).padStart(digits, "0");
}

/** Open loop: events are written at a fixed pace, whatever happens to them. */
export async function runPaced(load: PacedWatch, onStart: () => void): Promise<PacedMeasured> {
  const [first] = load.endpoints;
  if (first === undefined) throw new TypeError("no endpoint");
  const sentAt: number[] = [];
  const answeredAt: number[] = [];
  const latencies: number[] = [];
  const afterAnswer: number[] = [];
  let counting = false;
  const arrived = (index: number, now: number): void => {
    if (!counting) return;
    latencies.push(now - (sentAt[index] ?? now));
    afterAnswer.push(Math.max(0, now - (answeredAt[index] ?? now)));
  };
  const sockets = await openMany(load, load.watchers, (endpoint) => openWatcher(endpoint, load.watchPath, arrived));
  const write = await openWriters(first, (index) => {
    answeredAt[index] = performance.now();
  });

  const running = new AbortController();
  const writing = pace(load.writesPerSecond, running.signal, (index) => {
    sentAt[index] = performance.now();
    write.send(index, load.event(first, index));
  });
  await sleep(load.warmupMs);
  onStart();
  counting = true;
  const began = performance.now();
  await sleep(load.durationMs);
  counting = false;
  const seconds = (performance.now() - began) / 1000;
  running.abort();
  await writing;
  write.close();
  for (const socket of sockets) socket.destroy();
  const at = percentiles(latencies);
  return {
    deliveredPerSecond: latencies.length / seconds,
    delivered: latencies.length,
    p50: at(0.5),
    p99: at(0.99),
    p99AfterAnswer: percentiles(afterAnswer)(0.99),
  };
}

/** Calls `send` for 0, 1, 2, … so many times a second, evenly. */
async function pace(perSecond: number, signal: AbortSignal, send: (index: number) => void): Promise<void> {
  const began = performance.now();
  for (let index = 0; !signal.aborted; index++) {
    const wait = began + (index * 1000) / perSecond - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    if (!signal.aborted) send(index);
  }
}

interface Writers {
  send(index: number, request: Buffer): void;
  close(): void;
}

/** Connections that are written to in turn; each answers in order. */
async function openWriters(endpoint: Endpoint, answered: (index: number) => void): Promise<Writers> {
  const all = await Promise.all(
    Array.from({ length: writers }, async () => {
      const socket = await open(endpoint);
      const waiting: number[] = [];
      const reader = createResponseReader(({ code }) => {
        const index = waiting.shift();
        if (index === undefined || code !== 200) throw new Error(`a write was answered with ${code}`);
        answered(index);
      });
      socket.on("data", (data) => reader.push(data));
      return { socket, waiting };
    }),
  );
  return {
    send(index, request) {
      const writer = all[index % writers];
      writer?.waiting.push(index);
      writer?.socket.write(request);
    },
    close() {
      for (const { socket } of all) socket.destroy();
    },
  };
}

/** Tells the number of each event as its line ends. */
export async function openWatcher(
  endpoint: Endpoint,
  path: string,
  arrived: (index: number, now: number) => void,
): Promise<TLSSocket> {
  const socket = await open(endpoint);
  let rest: Buffer = Buffer.alloc(0);
  let accepted = (): void => {};
  const opened = new Promise<void>((resolve) => {
    accepted = resolve;
  });
  socket.on("data", (incoming: Buffer) => {
    accepted();
    const now = performance.now();
    const data = rest.length === 0 ? incoming : Buffer.concat([rest, incoming]);
    let from = 0;
    for (let at = data.indexOf(newline); at >= 0; at = data.indexOf(newline, from)) {
      // Lines of the HTTP framing end in a return: they have no mark.
      const found = data[at - 1] === 0x0d ? -1 : data.indexOf(mark, from);
      if (found >= 0 && found < at) arrived(numberAt(data, found + mark.length), now);
      from = at + 1;
    }
    rest = data.subarray(from);
  });
  socket.write(httpRequest(endpoint, { method: "GET", path }));
  await opened;
  return socket;
}

function numberAt(data: Buffer, at: number): number {
  let value = 0;
  for (let i = 0; i < digits; i++) value = value * 10 + ((data[at + i] ?? 0) - 0x30);
  return value;
}
