import { type Clock, sleep } from "./clock.js";
import type { Health } from "./health.js";

const pollMs = 20;

/** A store without room still answers, and is to be reached by whoever makes some. */
async function isReady(health: Health): Promise<boolean> {
  return (await health.answer("readyz", { exclude: ["store-space"] })).code === 200;
}

/** Settles when readyz says 200 or the signal aborts: serving is not being ready. */
export async function untilReady(
  health: Health,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted && !(await isReady(health))) await sleep(clock, pollMs, signal);
}
