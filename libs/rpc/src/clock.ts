import { type Clock, systemClock } from "@orch/status/clock.js";

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

/** The machine's clock for calls: who waits for an answer, or for its deadline, must not end before it. */
export const callClock: Clock = {
  ...systemClock,
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
