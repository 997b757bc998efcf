import type { Timer } from "./pause.js";

/** What a worker says of a key: it is as it should be, try again later and later, or look again after a time. */
export type Outcome = "done" | "retry" | { readonly againAfterMs: number };

/** Told what happens, for metrics; times in seconds. */
export interface QueueObserver {
  added(): void;
  retried(): void;
  depth(keys: number): void;
  waited(seconds: number): void;
  /** Work on a key has begun; called once it is over. */
  began(): () => void;
}

export interface WorkQueueOptions<K> {
  /** Keys that are worked on at once. */
  readonly workers: number;
  /** One that throws is told to `onError` and tried again. */
  readonly work: (key: K, signal: AbortSignal) => Promise<Outcome>;
  readonly clock: Timer;
  readonly onError: (error: unknown, key: K) => void;
  readonly observer?: QueueObserver;
  /** Of a key's first retry, doubled with each further one up to the longest; 5 ms and 60 s where absent. */
  readonly firstDelayMs?: number;
  readonly longestDelayMs?: number;
}

export interface WorkQueue<K> {
  /** A key that waits already is not added again; one that is worked on is worked on once more afterwards. */
  add(key: K): void;
  /** Adds it after a time; of several times the earliest counts. */
  addAfter(key: K, ms: number): void;
  /** Adds it after its delay, which grows until its work is done. */
  addLater(key: K): void;
  /** Works until the signal aborts; settles when no worker runs any more. What was added before waits until then. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Keys that are to be worked on: each by one worker at a time, in the order they came. The delay of a key that failed
 * n times is `firstDelayMs * 2^(n-1)`.
 */
export function createWorkQueue<K>(options: WorkQueueOptions<K>): WorkQueue<K> {
  const { clock, observer, firstDelayMs = 5, longestDelayMs = 60_000 } = options;
  /** Waiting keys and when they came, oldest first. */
  const waiting = new Map<K, number>();
  const working = new Set<K>();
  const again = new Set<K>();
  const failures = new Map<K, number>();
  const timers = new Map<K, { readonly at: number; readonly cancel: () => void }>();
  let running: AbortSignal | undefined;
  let idle = (): void => {};

  const add = (key: K): void => {
    if (working.has(key)) {
      again.add(key);
      return;
    }
    if (waiting.has(key)) return;
    waiting.set(key, clock.monotonic());
    observer?.added();
    observer?.depth(waiting.size);
    pump();
  };
  const addAfter = (key: K, ms: number): void => {
    const at = clock.monotonic() + ms;
    const planned = timers.get(key);
    if (planned !== undefined && planned.at <= at) return;
    planned?.cancel();
    const cancel = clock.after(ms, () => {
      timers.delete(key);
      add(key);
    });
    timers.set(key, { at, cancel });
  };
  const addLater = (key: K): void => {
    const failed = failures.get(key) ?? 0;
    failures.set(key, failed + 1);
    observer?.retried();
    addAfter(key, Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(failed, 40)));
  };

  const pump = (): void => {
    if (running === undefined || running.aborted) return;
    for (const [key, since] of waiting) {
      if (working.size >= options.workers) return;
      waiting.delete(key);
      working.add(key);
      observer?.depth(waiting.size);
      observer?.waited((clock.monotonic() - since) / 1000);
      void work(key, running);
    }
  };
  const work = async (key: K, signal: AbortSignal): Promise<void> => {
    const over = observer?.began();
    const outcome = await settled(key, signal);
    over?.();
    working.delete(key);
    if (!signal.aborted) followUp(key, outcome);
    if (working.size === 0) idle();
  };
  const followUp = (key: K, outcome: Outcome): void => {
    if (again.delete(key)) add(key);
    if (outcome === "retry") addLater(key);
    else {
      failures.delete(key);
      if (outcome !== "done") addAfter(key, outcome.againAfterMs);
    }
    pump();
  };
  const settled = async (key: K, signal: AbortSignal): Promise<Outcome> => {
    try {
      return await options.work(key, signal);
    } catch (error) {
      if (!signal.aborted) options.onError(error, key);
      return "retry";
    }
  };

  return {
    add,
    addAfter,
    addLater,
    async run(signal) {
      running = signal;
      pump();
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener("abort", () => resolve(), { once: true });
      });
      for (const { cancel } of timers.values()) cancel();
      timers.clear();
      if (working.size > 0) {
        await new Promise<void>((resolve) => {
          idle = resolve;
        });
      }
      running = undefined;
    },
  };
}
