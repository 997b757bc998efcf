/** Time as an argument: whatever depends on it is given one of these. */
export interface Clock {
  /** Milliseconds since the epoch; may jump with the machine's clock. */
  now(): number;
  /** Milliseconds since some fixed moment; never goes back. */
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
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
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

export interface ManualClock extends Clock {
  /** Moves time on and runs what has become due, in order. */
  advance(ms: number): void;
}

/** A clock that stands still until it is told to go on: for tests of logic that depends on time. */
export function createManualClock(start = 0): ManualClock {
  let time = start;
  const due: { readonly at: number; readonly run: () => void }[] = [];
  return {
    now: () => time,
    monotonic: () => time,
    after(ms, run) {
      const entry = { at: time + ms, run };
      due.push(entry);
      return () => {
        const at = due.indexOf(entry);
        if (at >= 0) due.splice(at, 1);
      };
    },
    advance(ms) {
      const end = time + ms;
      for (;;) {
        const next = due.filter((e) => e.at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        due.splice(due.indexOf(next), 1);
        time = next.at;
        next.run();
      }
      time = end;
    },
  };
}
