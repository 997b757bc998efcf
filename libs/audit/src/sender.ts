import { type Clock, sleep } from "@orch/status/clock.js";
import type { EventLine, EventText } from "./event.js";
import { bytesOf } from "./lines.js";
import type { SpoolReader } from "./spool/reader.js";
import type { Spool } from "./spool/spool.js";

export interface SenderOptions {
  /** Events, and their characters, that wait in memory at most; what comes then goes to the spool, or the oldest are dropped. */
  readonly maxWaiting: number;
  readonly maxWaitingBytes: number;
  /** Events are to outlive the machine, and whoever sends one is told whether it is kept. */
  readonly strict: boolean;
}

export interface SenderDeps {
  /** Settles when the events are on disk at the service. */
  readonly append: (events: readonly (EventText | EventLine)[], strict: boolean) => Promise<unknown>;
  /** Where events wait while the service is away; in memory alone where absent. */
  readonly spool: { readonly spool: Spool; readonly reader: SpoolReader } | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  /** Runs at the end of the turn of the event loop, or a moment later: the events until then go together. */
  readonly later: (run: () => void) => void;
  readonly lost: (events: number, why: string) => void;
  readonly warn: (what: string, error: unknown) => void;
}

/** Takes events from requests to the service that keeps them. */
export interface Sender {
  /** At once, whatever becomes of the event. */
  send(event: EventText): void;
  /** Settles when the event is kept, at the service or in this gateway's spool; false if it is not, or not yet. */
  sendAndWait(event: EventText): Promise<boolean>;
  /** Events that the service does not have yet. */
  readonly waiting: number;
  /** Sends what waits, for as long as that works. */
  close(): Promise<void>;
}

interface Waiting {
  readonly event: EventText;
  readonly done: ((kept: boolean) => void) | undefined;
}

const batchEvents = 1_000;
const batchBytes = 1024 * 1024;
/** Batches under way: more would take their places in the spool of the service out of turn and gain nothing. */
const mostInFlight = 4;
const firstPauseMs = 100;
const longestPauseMs = 5_000;

/**
 * While the service answers, events go there from memory. When it does not, they go to the spool, and from there to the service
 * once it answers again; only when the spool is empty do they go straight again, so that their order is kept.
 */
export function createSender(options: SenderOptions, deps: SenderDeps): Sender {
  const { maxWaiting, maxWaitingBytes, strict } = options;
  const { append, clock, random, later, lost, warn } = deps;
  const closing = new AbortController();
  let queue: Waiting[] = [];
  let queueBytes = 0;
  let scheduled = false;
  let inFlight = 0;
  let failures = 0;
  /** Set while events go by the spool, or wait in memory for the service to come back. */
  let recovering: Promise<void> | undefined;

  const pause = (): Promise<void> => {
    const ms = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures++, 10));
    return sleep(clock, ms * (0.5 + random() / 2), closing.signal);
  };

  function take(): readonly Waiting[] {
    let bytes = 0;
    let count = 0;
    while (count < queue.length && count < batchEvents && bytes < batchBytes)
      bytes += queue[count++]?.event.length ?? 0;
    queueBytes -= bytes;
    const batch = queue.slice(0, count);
    queue = count === queue.length ? [] : queue.slice(count);
    return batch;
  }

  function flush(): void {
    scheduled = false;
    while (queue.length > 0 && inFlight < mostInFlight && recovering === undefined && !closing.signal.aborted) {
      const batch = take();
      inFlight++;
      append(eventsOf(batch), strict)
        .then(() => {
          failures = 0;
          settle(batch, true);
        })
        .catch((error: unknown) => {
          warn("audit events could not be sent", error);
          giveBack(batch);
          recovering ??= recover()
            .catch((problem: unknown) => warn("audit events wait", problem))
            .finally(() => {
              recovering = undefined;
              flush();
            });
        })
        .finally(() => {
          inFlight--;
          flush();
        });
    }
  }

  /** They go first again. Whoever waits for one without a spool hears that it is not kept, although it may be yet. */
  function giveBack(batch: readonly Waiting[]): void {
    const kept = deps.spool !== undefined;
    const again = kept
      ? batch
      : batch.map(({ event, done }) => {
          done?.(false);
          return { event, done: undefined };
        });
    queue = [...again, ...queue];
    queueBytes += sizeOf(batch);
    if (!kept) bound();
  }

  /** The oldest go where there are more than memory is given. */
  function bound(): void {
    let gone = 0;
    while (queue.length - gone > maxWaiting || queueBytes > maxWaitingBytes) {
      const oldest = queue[gone++];
      if (oldest === undefined) break;
      queueBytes -= oldest.event.length;
      oldest.done?.(false);
    }
    if (gone === 0) return;
    queue = queue.slice(gone);
    lost(gone, "the buffer of events is full");
  }

  async function recover(): Promise<void> {
    if (deps.spool === undefined) {
      while (!closing.signal.aborted) {
        await pause();
        if (queue.length === 0 || (await tryBatch())) return;
      }
      return;
    }
    const { spool, reader } = deps.spool;
    await moveToSpool();
    while (!closing.signal.aborted) {
      const { records, next, lost: gone } = await reader.read(batchEvents);
      if (gone > 0) lost(gone, "the spool of the gateway had no room for them");
      if (records.length === 0) {
        reader.advance(next);
        await moveToSpool();
        if (queue.length === 0 && next >= spool.end) return;
        continue;
      }
      try {
        await append(records, strict);
        failures = 0;
        reader.advance(next);
      } catch {
        await pause();
      }
    }
  }

  let moving: Promise<void> | undefined;
  const moveToSpool = (): Promise<void> => {
    moving ??= moveAll().finally(() => {
      moving = undefined;
    });
    return moving;
  };

  async function moveAll(): Promise<void> {
    scheduled = false;
    while (queue.length > 0 && deps.spool !== undefined) {
      const batch = take();
      try {
        await deps.spool.spool.append(eventsOf(batch).map(bytesOf), { sync: strict, keepUnread: strict });
        settle(batch, true);
      } catch (error) {
        settle(batch, false);
        lost(batch.length, "the spool of the gateway cannot be written");
        warn("audit events are lost", error);
      }
    }
  }

  /** One batch as a trial; false where it failed. */
  async function tryBatch(): Promise<boolean> {
    const batch = take();
    try {
      await append(eventsOf(batch), strict);
      failures = 0;
      settle(batch, true);
      return true;
    } catch {
      giveBack(batch);
      return false;
    }
  }

  function put(waiting: Waiting): void {
    // Without a spool nobody can say that it is kept while the service is away.
    const isTold = recovering !== undefined && deps.spool === undefined;
    if (isTold) waiting.done?.(false);
    queue.push(isTold ? { event: waiting.event, done: undefined } : waiting);
    queueBytes += waiting.event.length;
    if (queue.length > maxWaiting || queueBytes > maxWaitingBytes) bound();
    if (scheduled || isTold) return;
    scheduled = true;
    later(recovering === undefined ? flush : () => void moveToSpool());
  }

  // What an earlier process has left goes first.
  if (deps.spool !== undefined && deps.spool.reader.waiting > 0) {
    recovering = recover().finally(() => {
      recovering = undefined;
      flush();
    });
  }

  return {
    send: (event) => put({ event, done: undefined }),
    sendAndWait: (event) => new Promise((resolve) => put({ event, done: resolve })),
    get waiting() {
      return queue.length + (deps.spool?.reader.waiting ?? 0);
    },
    async close() {
      flush();
      while (inFlight > 0 && recovering === undefined) await sleep(clock, 5);
      closing.abort();
      await recovering;
      await moveToSpool();
      if (queue.length > 0) lost(queue.length, "the service was away when the gateway ended");
      await deps.spool?.spool.close();
    },
  };
}

const eventsOf = (batch: readonly Waiting[]): readonly EventText[] => batch.map(({ event }) => event);

function sizeOf(batch: readonly Waiting[]): number {
  return batch.reduce((sum, { event }) => sum + event.length, 0);
}

function settle(batch: readonly Waiting[], kept: boolean): void {
  for (const { done } of batch) done?.(kept);
}
