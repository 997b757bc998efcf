/** Time as an argument. */
export interface Clock {
  /** Milliseconds since the epoch as they were at the start of the process: comparable to wall time, never backwards. */
  now(): number;
  /** Runs once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** Node's own time of the day begins with the process; the machine's clock may have been set since, by more than this. */
const setMs = 2;

const machine = { origin: performance.timeOrigin, elapsed: () => performance.now(), wall: () => Date.now() };

/** Milliseconds since 1970 with fractions, for times that other processes are told. May jump with the machine's clock. */
export function createPreciseClock(parts = machine): () => number {
  let { origin } = parts;
  return () => {
    const elapsed = parts.elapsed();
    const wall = parts.wall();
    if (Math.abs(wall - origin - elapsed) > setMs) origin = wall - elapsed;
    return origin + elapsed;
  };
}

export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
