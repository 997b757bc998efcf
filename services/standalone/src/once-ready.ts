import { type Clock, sleep } from "@orch/runtime/clock.js";
import type { Health } from "@orch/runtime/health.js";
import type { Log } from "@orch/runtime/log.js";
import { untilReady } from "@orch/runtime/until-ready.js";

export interface OnceReadyDeps {
  readonly health: Health;
  readonly log: Log;
  readonly clock: Clock;
}

/** What runs in this process as a client of its server. */
export interface RunningClients {
  /** Settles when it has stopped; never rejects. */
  stop(): Promise<void>;
}

/** Whoever waits for the server goes first. */
const courtesyMs = 250;

/** Starts something once the server is ready: neither its code nor its requests stand in the way of that. `start` gives how to stop. */
export function onceReady(
  what: string,
  { health, log, clock }: OnceReadyDeps,
  start: () => Promise<() => Promise<void>>,
): RunningClients {
  const abort = new AbortController();
  const { signal } = abort;
  const run = async (): Promise<void> => {
    await untilReady(health, { clock, signal });
    await sleep(clock, courtesyMs, signal);
    if (signal.aborted) return;
    const stop = await start();
    if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    await stop();
  };
  const running = run().catch((err: unknown) => log.error({ err }, `${what} have failed`));
  return {
    async stop() {
      abort.abort();
      await running;
    },
  };
}
