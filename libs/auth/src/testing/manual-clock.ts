/** Time that stands still until it is told to go on. */
export interface ManualClock {
  now(): number;
  monotonic(): number;
  after(ms: number, run: () => void): () => void;
  /** Runs what becomes due, in order, and lets what it began go as far as it gets. */
  advance(ms: number): Promise<void>;
  /** Timers that wait. */
  waiting(): number;
}

export function manualClock(start = 0): ManualClock {
  let time = start;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
    now: () => time,
    monotonic: () => time,
    after(ms, run) {
      const timer = { at: time + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async advance(ms) {
      const end = time + ms;
      for (;;) {
        await settled();
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        time = next.at;
        next.run();
      }
      time = end;
      await settled();
    },
    waiting: () => timers.size,
  };
}

/** Once all that waits for nothing from outside has run: some turns, since what runs in one may begin more. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
