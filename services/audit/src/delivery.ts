import type { EventLine, Mode } from "@orch/audit/event.js";
import type { SpoolReader } from "@orch/audit/spool/reader.js";
import type { Fitted } from "@orch/audit/truncate.js";
import { type Clock, sleep } from "@orch/status/clock.js";
import type { Sink } from "./sinks/sink.js";
import { createThrottle, type ThrottleOptions } from "./throttle.js";

export interface DeliveryOptions {
  readonly mode: Mode;
  /** Events that a sink gets at once. */
  readonly maxBatchSize: number;
  /** In mode batch: how long an event waits for others. */
  readonly maxWaitMs: number;
  /** In mode batch: how often a sink is called. */
  readonly throttle: ThrottleOptions | undefined;
  /** After a first failure; longer after each further one. */
  readonly initialBackoffMs: number;
}

export interface DeliveryDeps {
  readonly sink: Sink;
  readonly reader: SpoolReader;
  /** Undefined where a sink takes events of any size. */
  readonly fit: ((lines: readonly EventLine[]) => Fitted) | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly report: DeliveryReport;
}

/** What is told of a sink. */
export interface DeliveryReport {
  delivered(sink: string, events: number): void;
  /** Nobody will have these events from this sink. */
  lost(sink: string, events: number, why: string): void;
  failed(sink: string, why: string): void;
}

/** Takes events from the spool to one sink. */
export interface Delivery {
  readonly sink: string;
  readonly mode: Mode;
  /** Why the last attempt failed; undefined after one that did not. */
  readonly trouble: string | undefined;
  /** How many events wait. */
  readonly waiting: number;
  /**
   * Writes events past the spool, for a sink on this machine that takes them as they are; false while others wait in the
   * spool, or where they could not be written: they must go by it then.
   */
  readonly writeNow: ((lines: Buffer, count: number) => Promise<boolean>) | undefined;
  /**
   * Settles once the events before this number of the spool were offered to the sink, which has them or has failed; at once
   * while it fails.
   */
  attempted(next: number): Promise<void>;
  /** Ends with the attempt that is under way; what is left stays in the spool. */
  stop(): Promise<void>;
}

const longestBackoffMs = 30_000;

export function startDelivery(options: DeliveryOptions, deps: DeliveryDeps): Delivery {
  const { sink, reader, fit, clock, random, report } = deps;
  const batching = options.mode === "batch";
  const throttle = batching ? createThrottle(options.throttle, clock) : undefined;
  const stopping = new AbortController();
  const { signal } = stopping;
  let trouble: string | undefined;
  /** The number up to which events were offered at least once. */
  let offered = reader.next;
  let waiters: { readonly next: number; readonly run: () => void }[] = [];

  const release = (next: number): void => {
    if (waiters.length === 0) return;
    const due = waiters.filter((waiter) => waiter.next <= next);
    waiters = waiters.filter((waiter) => waiter.next > next);
    for (const { run } of due) run();
  };

  /** Waits until there are as many events as a batch has, or the oldest has waited long enough. */
  async function gather(): Promise<void> {
    await reader.more(reader.next, signal);
    const { maxBatchSize, maxWaitMs } = options;
    if (!batching || maxWaitMs === 0 || reader.waiting >= maxBatchSize || signal.aborted) return;
    const over = new AbortController();
    const end = (): void => over.abort();
    signal.addEventListener("abort", end);
    const cancel = clock.after(maxWaitMs, end);
    await reader.more(reader.next + maxBatchSize - 1, over.signal);
    cancel();
    signal.removeEventListener("abort", end);
  }

  /** Offers events until the sink has them, or they are given up; false where the delivery ends before. */
  async function deliver(lines: readonly EventLine[]): Promise<boolean> {
    for (let attempt = 0; ; attempt++) {
      await throttle?.(signal);
      if (signal.aborted) return false;
      const answer = await sink.write(lines);
      if (answer.outcome === "written") {
        trouble = undefined;
        report.delivered(sink.name, lines.length);
        return true;
      }
      trouble = answer.why;
      report.failed(sink.name, answer.why);
      if (answer.outcome === "refused") return giveUp(lines, answer.why);
      release(Number.POSITIVE_INFINITY);
      const most = Math.min(longestBackoffMs, options.initialBackoffMs * 2 ** Math.min(attempt, 16));
      await sleep(clock, most * (0.5 + random() / 2), signal);
    }
  }

  /** One event that is refused must not take others with it: halves are tried until it is alone. */
  async function giveUp(lines: readonly EventLine[], why: string): Promise<boolean> {
    if (lines.length === 1) {
      report.lost(sink.name, 1, why);
      return true;
    }
    const middle = lines.length >> 1;
    return (await deliver(lines.slice(0, middle))) && (await deliver(lines.slice(middle)));
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await gather();
      if (signal.aborted) return;
      const { records, next, lost } = await reader.read(options.maxBatchSize);
      if (lost > 0) report.lost(sink.name, lost, "the spool had no room for them");
      const { batches, dropped } = fit?.(records) ?? { batches: [records], dropped: 0 };
      if (dropped > 0) report.lost(sink.name, dropped, "event is too large even after truncating");
      for (const batch of batches) if (batch.length > 0 && !(await deliver(batch))) return;
      reader.advance(next);
      offered = next;
      release(next);
    }
  }

  const { writeLines } = sink;
  const writesNow = writeLines !== undefined && fit === undefined && throttle === undefined;
  const writeNow = async (lines: Buffer, count: number): Promise<boolean> => {
    if (reader.waiting > 0 || trouble !== undefined || signal.aborted) return false;
    const answer = await writeLines?.(lines);
    if (answer?.outcome === "written") {
      report.delivered(sink.name, count);
      return true;
    }
    trouble = answer?.why;
    report.failed(sink.name, answer?.why ?? "");
    return false;
  };

  const running = run();
  return {
    sink: sink.name,
    mode: options.mode,
    get trouble() {
      return trouble;
    },
    get waiting() {
      return reader.waiting;
    },
    writeNow: writesNow ? writeNow : undefined,
    attempted(next) {
      if (offered >= next || trouble !== undefined || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => waiters.push({ next, run: resolve }));
    },
    async stop() {
      stopping.abort();
      for (const { run: resolve } of waiters) resolve();
      await running;
      await sink.close();
    },
  };
}
