import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace-node";
import type { SpanFate } from "./tracing.js";

export interface ProcessorOptions {
  /** How long one batch may take; the exporter gives up by itself, and this is for one that does not. */
  readonly exportMs: number;
  readonly count: (fate: SpanFate, spans: number) => void;
  readonly warn: (problem: string) => void;
}

export interface BoundedProcessor extends SpanProcessor {
  /** Sends what waits, for at most so long; then nothing is taken any more. */
  stop(withinMs: number): Promise<void>;
}

/** Spans that wait, those on their way included: a collector that hangs costs as much memory, and no more. */
const mostWaiting = 4096;
const batchSpans = 512;
const batchMs = 1_000;

/**
 * Gathers spans and exports one batch at a time. A span that finds no room is dropped and counted: nobody waits for a
 * collector.
 */
export function boundedProcessor(exporter: SpanExporter, options: ProcessorOptions): BoundedProcessor {
  const { exportMs, count, warn } = options;
  let waiting: ReadableSpan[] = [];
  let underWay = 0;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let running: Promise<void> | undefined;

  const exportBatch = (batch: ReadableSpan[]): Promise<void> =>
    new Promise((resolve) => {
      let over = false;
      const done = (fate: SpanFate, problem?: string): void => {
        if (over) return;
        over = true;
        clearTimeout(expiry);
        underWay -= batch.length;
        count(fate, batch.length);
        if (problem !== undefined) warn(problem);
        resolve();
      };
      const expiry = setTimeout(() => done("failed", "the collector does not answer"), exportMs + graceMs);
      expiry.unref();
      underWay += batch.length;
      exporter.export(batch, ({ code, error }) => {
        if (code === 0) done("exported");
        else done("failed", error?.message ?? "the collector refused spans");
      });
    });
  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSpans);
      waiting = waiting.slice(batchSpans);
      await exportBatch(batch);
    }
  };
  const send = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
  const later = (): void => {
    if (timer !== undefined || running !== undefined) return;
    timer = setTimeout(() => void send(), batchMs);
    timer.unref();
  };

  return {
    onStart() {},
    onEnd(span) {
      if (stopped || waiting.length + underWay >= mostWaiting) {
        count("dropped", 1);
        return;
      }
      waiting.push(span);
      if (waiting.length >= batchSpans && running === undefined) void send();
      else later();
    },
    forceFlush: send,
    shutdown: () => Promise.resolve(),
    async stop(withinMs) {
      let expiry: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        expiry = setTimeout(resolve, withinMs);
      });
      await Promise.race([send(), late]);
      clearTimeout(expiry);
      stopped = true;
      if (waiting.length > 0) count("dropped", waiting.length);
      waiting = [];
      await Promise.race([
        exporter.shutdown().catch(() => {}),
        new Promise((resolve) => setTimeout(resolve, graceMs).unref()),
      ]);
    },
  };
}

const graceMs = 500;
