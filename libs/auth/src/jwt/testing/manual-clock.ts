/** Time that stands still until it is told to go on. */
export interface ManualClock {
  readonly now: () => number;
  readonly after: (ms: number, run: () => void) => () => void;
  /** Runs what becomes due, in order, and lets what it began go as far as it gets. */
  advance(ms: number): Promise<void>;
  /** Timers that wait. */
  waiting(): number;
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

export function manualClock(start: number): ManualClock {
  let time = start;
  const timers = new Set<Timer>();
  return {
    now: () => time,
    after(ms, run) {
      const timer = { at: time + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const end = time + ms;
      for (;;) {
        const next = [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        timers.delete(next);
        time = next.at;
        next.run();
        await settled();
      }
      time = end;
      await settled();
    },
    waiting: () => timers.size,
  };
}

/** Once all that waits for nothing from outside has run. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
