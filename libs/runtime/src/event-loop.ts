import type { Clock } from "./clock.js";
import type { Log } from "./log.js";
import type { Metrics } from "./metrics.js";

/** A request that a turn of the event loop worked on. Its texts are words of the catalog: they become labels. */
export interface Work {
  readonly group: string;
  readonly resource: string;
}

export interface EventLoopWatch {
  /** Something is about to be done for a request, whose body or answer has so many bytes. */
  readonly note: (verb: string, work: Work, bytes: number) => void;
  stop(): void;
}

export interface EventLoopOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** How often it looks. Turns that are shorter are seen in part. */
const tickMs = 20;
/** A turn that is called a block: it is counted with its request, and told in the log. */
const blockedMs = 100;
/** At most one line so often; it tells how many there were since the last one. */
const quietMs = 10_000;
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * How late this process's turns come. A timer that should run every 20 ms is late by what held the loop meanwhile; what
 * held it was, as a rule, the largest request that was noted since the timer ran last.
 */
export function watchEventLoop({ clock, metrics, log }: EventLoopOptions): EventLoopWatch {
  const lag = metrics
    .histogram({
      name: "orch_eventloop_lag_seconds",
      help: "How late a timer of 20 ms ran: what else waited at that moment waited as long.",
      stability: "ALPHA",
      labels: [],
      buckets,
    })
    .with({});
  const blocked = metrics.counter({
    name: "orch_eventloop_blocked_total",
    help: "Turns of the event loop of more than 100 ms, by the largest request that was worked on; empty labels where none was.",
    stability: "ALPHA",
    labels: ["verb", "group", "resource"],
  });
  let largest: { readonly verb: string; readonly work: Work; readonly bytes: number } | undefined;
  let due = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  let untold = 0;
  /** Before the first request it is the start that takes long, which nobody waits behind. */
  let served = false;
  let cancel = (): void => {};

  const tell = (lateMs: number, now: number): void => {
    const { verb = "", work = { group: "", resource: "" }, bytes } = largest ?? {};
    const { group, resource } = work;
    blocked.with({ verb, group, resource }).inc();
    if (!served) return;
    if (now - toldAt < quietMs) {
      untold += 1;
      return;
    }
    const request = largest === undefined ? {} : { verb, group, resource, bytes };
    log.warn({ lateMs: Math.round(lateMs), ...request, untold }, "the event loop was blocked");
    toldAt = now;
    untold = 0;
  };
  const tick = (): void => {
    const now = clock.monotonic();
    const lateMs = Math.max(0, now - due);
    lag.observe(lateMs / 1000);
    if (lateMs >= blockedMs) tell(lateMs, now);
    largest = undefined;
    arm(now);
  };
  const arm = (now: number): void => {
    due = now + tickMs;
    cancel = clock.after(tickMs, tick);
  };
  arm(clock.monotonic());
  return {
    note(verb, work, bytes) {
      served = true;
      if (largest === undefined || bytes >= largest.bytes) largest = { verb, work, bytes };
    },
    stop: () => cancel(),
  };
}
