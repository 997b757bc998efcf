/** Time as an argument: whatever depends on it is given one of these, or the part of one that it needs. */
export interface Clock {
  /** Milliseconds since 1970; may jump with the machine's clock. For what people and other machines are told. */
  now(): number;
  /** Milliseconds since some fixed moment; never goes back. For how long something takes or may take. */
  monotonic(): number;
  /** Runs once after `ms`; the returned function cancels it. A timer does not keep the process alive. */
  after(ms: number, run: () => void): () => void;
}

/** The machine's clock: the one place besides `main.ts` that reads it. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, run) => timer(ms, run, (started) => started.unref()),
};

/** The machine waits for no longer at once: what is later than that runs at once instead. */
const longestMs = 2 ** 31 - 1;

/** Runs once after `ms`, however long that is; the returned function cancels it. `started` is shown each timer of the machine. */
export function timer(ms: number, run: () => void, started: (each: NodeJS.Timeout) => void = () => {}): () => void {
  let left = ms;
  let current: NodeJS.Timeout;
  const wait = (): void => {
    const part = Math.min(left, longestMs);
    left -= part;
    current = setTimeout(left > 0 ? wait : run, part);
    started(current);
  };
  wait();
  return () => clearTimeout(current);
}

/** Resolves after `ms`, or at once when `signal` aborts: the caller looks at the signal where it matters. */
export function sleep(clock: Pick<Clock, "after">, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const done = (): void => {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal?.addEventListener("abort", done);
  });
}
