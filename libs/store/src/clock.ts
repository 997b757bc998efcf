import { setTimeout as delay } from "node:timers/promises";

/** Time as an argument: wall-clock milliseconds and a sleep that a signal ends early (without throwing). */
export interface Clock {
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    if (signal.aborted) return;
    // A sleeping store must not hold a process open: closing it is the caller's decision.
    await delay(ms, undefined, { signal, ref: false }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  },
};
