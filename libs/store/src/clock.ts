import { setTimeout as delay } from "node:timers/promises";

/** Time as an argument: milliseconds since 1970 that only grow, and a sleep that a signal ends early (without throwing). */
export interface Clock {
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  // The wall clock as it was when the process began, and what has passed since: history must not lose its age, nor
  // seem older than it is, when somebody sets the clock.
  now: () => performance.timeOrigin + performance.now(),
  async sleep(ms, signal) {
    if (signal.aborted) return;
    // A sleeping store must not hold a process open: closing it is the caller's decision.
    await delay(ms, undefined, { signal, ref: false }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  },
};

/** The wall clock as it stands now, for others' deadlines that are measured by it. */
export const wallClock = (): number => Date.now();
