import { type Clock, systemClock, timer } from "@orch/status/clock.js";

/**
 * Node counts its wall-clock time from the start of the process. If it differs from the machine's clock by more than
 * this, the clock was set.
 */
const setMs = 2;

const machine = { origin: performance.timeOrigin, elapsed: () => performance.now(), wall: () => Date.now() };

/** Milliseconds since 1970 with fractions, for times that go to other processes. May jump with the machine's clock. */
export function createPreciseClock(parts = machine): () => number {
  let { origin } = parts;
  return () => {
    const elapsed = parts.elapsed();
    const wall = parts.wall();
    if (Math.abs(wall - origin - elapsed) > setMs) origin = wall - elapsed;
    return origin + elapsed;
  };
}

/** The machine's clock for calls. Its timers keep the process alive: a process that waits for an answer must not end. */
export const callClock: Clock = {
  ...systemClock,
  after: (ms, run) => timer(ms, run),
};
