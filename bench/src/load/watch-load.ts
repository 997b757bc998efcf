import type { TLSSocket } from "node:tls";
import { percentiles } from "../percentile.js";
import { type Endpoint, httpRequest, open, sleep } from "./load.js";

export interface FanOut {
  readonly endpoints: readonly Endpoint[];
  readonly watchers: number;
  readonly watchPath: string;
  /** The request that makes event number `index`, sent to the first endpoint. */
  readonly event: (endpoint: Endpoint, index: number) => Buffer;
  readonly warmupMs: number;
  readonly durationMs: number;
  /** Events written ahead of what all watchers have seen. */
  readonly window: number;
}

export interface FanOutMeasured {
  readonly eventsPerSecond: number;
  readonly deliveredPerSecond: number;
  /** Milliseconds from the write to its arrival at the last watcher. */
  readonly p50: number;
  readonly p99: number;
}

/** Closed loop: a new event is written when every watcher has seen the one `window` before it. */
export async function runFanOut(load: FanOut, onStart: () => void): Promise<FanOutMeasured> {
  const seen = new Map<number, number>();
  const writtenAt: number[] = [];
  const latencies: number[] = [];
  let complete = 0;
  let delivered = 0;
  let counting = false;
  let wake: () => void = () => {};

  const arrived = (nth: number): void => {
    const count = (seen.get(nth) ?? 0) + 1;
    if (counting) delivered += 1;
    if (count < load.watchers) {
      seen.set(nth, count);
      return;
    }
    seen.delete(nth);
    complete = Math.max(complete, nth + 1);
    if (counting) latencies.push(performance.now() - (writtenAt[nth] ?? 0));
    wake();
  };

  const sockets = await openMany(load, load.watchers, (endpoint) => openWatcher(endpoint, load.watchPath, arrived));
  const [first] = load.endpoints;
  if (first === undefined) throw new TypeError("no endpoint");
  // A connection for each event under way: event n goes where event n - window was answered.
  const writers = await Promise.all(Array.from({ length: load.window }, () => open(first)));
  for (const writer of writers) writer.on("data", () => {});

  let running = true;
  const writeAll = async (): Promise<void> => {
    for (let index = 0; running; index++) {
      while (running && index - complete >= load.window) await new Promise<void>((resolve) => (wake = resolve));
      writtenAt.push(performance.now());
      writers[index % load.window]?.write(load.event(first, index));
    }
  };
  const writing = writeAll();
  await sleep(load.warmupMs);
  onStart();
  counting = true;
  const before = complete;
  const began = performance.now();
  await sleep(load.durationMs);
  counting = false;
  const seconds = (performance.now() - began) / 1000;
  const events = complete - before;
  running = false;
  wake();
  await writing;
  for (const writer of writers) writer.destroy();
  for (const socket of sockets) socket.destroy();
  const at = percentiles(latencies);
  return { eventsPerSecond: events / seconds, deliveredPerSecond: delivered / seconds, p50: at(0.5), p99: at(0.99) };
}

/** Connections over all endpoints in turn, fifty at a time. */
export async function openMany(
  { endpoints }: { readonly endpoints: readonly Endpoint[] },
  count: number,
  openOne: (endpoint: Endpoint) => Promise<TLSSocket>,
): Promise<readonly TLSSocket[]> {
  const sockets: TLSSocket[] = [];
  for (let i = 0; i < count; i += 50) {
    const part = Array.from({ length: Math.min(50, count - i) }, (_, k) => {
      const endpoint = endpoints[(i + k) % endpoints.length];
      if (endpoint === undefined) throw new TypeError("no endpoint");
      return openOne(endpoint);
    });
    sockets.push(...(await Promise.all(part)));
  }
  return sockets;
}

const newline = 0x0a;
const headEnd = Buffer.from("\r\n\r\n");

/** Counts lines that end in a bare newline: an event each. The HTTP framing's own line ends have a return before them. */
async function openWatcher(endpoint: Endpoint, path: string, arrived: (nth: number) => void): Promise<TLSSocket> {
  const socket = await open(endpoint);
  let inBody = false;
  let events = 0;
  let last = 0;
  await new Promise<void>((resolve) => {
    socket.on("data", (data) => {
      let from = 0;
      if (!inBody) {
        const end = data.indexOf(headEnd);
        if (end < 0) return;
        inBody = true;
        from = end + 4;
        resolve();
      }
      for (let at = data.indexOf(newline, from); at >= 0; at = data.indexOf(newline, at + 1)) {
        const before = at > 0 ? data[at - 1] : last;
        if (before !== 0x0d) arrived(events++);
      }
      last = data[data.length - 1] ?? 0;
    });
    socket.write(httpRequest(endpoint, { method: "GET", path }));
  });
  return socket;
}
