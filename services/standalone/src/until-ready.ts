import { type Clock, sleep } from "@orch/runtime/clock.js";
import type { Health } from "@orch/runtime/health.js";

const pollMs = 20;

/** Settles when readyz says 200 or the signal aborts: serving is not being ready. */
export async function untilReady(
  health: Health,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted && (await health.answer("readyz")).code !== 200) await sleep(clock, pollMs, signal);
}
