import { type Clock, sleep } from "@orch/status/clock.js";

/** What the client's loops need of a clock. */
export type Timer = Pick<Clock, "monotonic" | "after">;

/** Resolves after `ms`, or at once when the signal aborts: the caller looks at the signal where it matters. */
export function pause(ms: number, by: { readonly clock: Timer; readonly signal: AbortSignal }): Promise<void> {
  return ms === 0 ? Promise.resolve() : sleep(by.clock, ms, by.signal);
}
