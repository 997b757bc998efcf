/** Time as an argument. */
export interface Clock {
  /** Milliseconds since the epoch as they were at the start of the process: comparable to wall time, never backwards. */
  now(): number;
  /** Runs once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
