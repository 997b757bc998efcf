import type { Clock } from "../clock.js";

export interface ManualClock extends Clock {
  /** Moves time on and runs what has become due, in order. */
  advance(ms: number): void;
  /** The same for code that waits: before each step, what began goes as far as it gets. */
  pass(ms: number): Promise<void>;
  /** Timers that wait. */
  waiting(): number;
}

/** A clock that stands still until it is told to go on: for tests of logic that depends on time. */
export function createManualClock(start = 0): ManualClock {
  let time = start;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  /** Runs the next timer that is due by then; false where there is none. */
  const step = (end: number): boolean => {
    const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
    if (next === undefined) return false;
    timers.delete(next);
    time = next.at;
    next.run();
    return true;
  };
  return {
    now: () => time,
    monotonic: () => time,
    after(ms, run) {
      const timer = { at: time + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      const end = time + ms;
      while (step(end));
      time = end;
    },
    async pass(ms) {
      const end = time + ms;
      do await settled();
      while (step(end));
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
