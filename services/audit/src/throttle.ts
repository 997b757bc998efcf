import { type Clock, sleep } from "@orch/status/clock.js";

export interface ThrottleOptions {
  /** Calls a second. */
  readonly qps: number;
  /** Calls at once after a pause. */
  readonly burst: number;
}

/** Waits until one more call may be made, or the signal comes. */
export type Throttle = (signal: AbortSignal) => Promise<void>;

/** A bucket of tokens. Undefined where calls are not bounded. */
export function createThrottle(options: ThrottleOptions | undefined, clock: Clock): Throttle | undefined {
  if (options === undefined) return undefined;
  const { qps, burst } = options;
  let tokens = burst;
  let at = clock.monotonic();
  return async (signal) => {
    const now = clock.monotonic();
    tokens = Math.min(burst, tokens + ((now - at) / 1000) * qps) - 1;
    at = now;
    if (tokens < 0) await sleep(clock, (-tokens / qps) * 1000, signal);
  };
}
