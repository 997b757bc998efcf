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
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

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
