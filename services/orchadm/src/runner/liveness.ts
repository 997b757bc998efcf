import { type Clock, sleep } from "@orch/status/clock.js";
import type { Probe } from "./probe.js";
import type { Readiness } from "./unit.js";

export interface Liveness {
  readonly clock: Pick<Clock, "after">;
  readonly probe: Probe;
  /** Called with each change, and once with the first answer. */
  readonly told: (ready: boolean) => void;
}

/** While a process has not answered yet it is asked more often, so that its readiness is known soon. */
const firstPeriodMs = 1000;

/**
 * Asks a process whether it is well, until it was not so often enough in a row; gives a sentence for a person, or undefined
 * once `signal` aborts.
 */
export async function watchLiveness(
  readiness: Readiness,
  { clock, probe, told }: Liveness,
  signal: AbortSignal,
): Promise<string | undefined> {
  let last: boolean | undefined;
  let wasWell = false;
  // In milliseconds, not in questions: that it is asked more often at first costs it no patience.
  let failedMs = 0;
  while (!signal.aborted) {
    const periodMs = wasWell ? readiness.periodMs : Math.min(firstPeriodMs, readiness.periodMs);
    await sleep(clock, periodMs, signal);
    if (signal.aborted) return undefined;
    const ready = await probe(readiness);
    if (signal.aborted) return undefined;
    if (ready !== last) told(ready);
    last = ready;
    wasWell ||= ready;
    failedMs = ready ? 0 : failedMs + periodMs;
    const most = wasWell ? readiness.failures : readiness.startFailures;
    if (failedMs >= most * readiness.periodMs) return `not healthy for ${failedMs / 1000} s`;
  }
  return undefined;
}
