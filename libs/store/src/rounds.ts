import { ApiError } from "@orch/status/api-error.js";
import { systemClock } from "./clock.js";

export interface RoundsOptions {
  /**
   * Loads everything and tells its changes, until there is no going on: then it rejects, for a gap with an `Expired`.
   * Ends promptly when `over` aborts, and tells nothing from then on.
   */
  readonly round: (over: AbortSignal) => Promise<void>;
  /** What is followed, for the log: "following namespaces failed". */
  readonly subject: string;
  readonly log: (what: string, error: unknown) => void;
  /** Milliseconds between a failure and the next round: half a second where absent. */
  readonly retryMs?: number;
  /** Settles after so many milliseconds, or as soon as the signal aborts. */
  readonly pause?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

export interface Following {
  /** Runs until the signal, whatever fails. */
  run(signal: AbortSignal): Promise<void>;
  /** Gives up the round that is under way, and begins the next at once. */
  anew(): void;
}

/**
 * Round after round: the next one begins at once where there was a mere gap, and after a failure, which is logged once,
 * when a pause is over.
 */
export function createRounds(options: RoundsOptions): Following {
  const { round, subject, log, retryMs = 500, pause = systemClock.sleep } = options;
  let current = new AbortController();

  const recover = async (error: unknown, signal: AbortSignal): Promise<void> => {
    // The turn between two rounds leaves everybody else theirs, however often there is a gap.
    if (error instanceof ApiError && error.reason === "Expired") return turn();
    log(`following ${subject} failed; loading anew`, error);
    await pause(retryMs, signal);
  };

  return {
    async run(signal) {
      while (!signal.aborted) {
        current = new AbortController();
        const over = AbortSignal.any([signal, current.signal]);
        try {
          await round(over);
        } catch (error) {
          const given = over.aborted;
          // What still reads for this round must not get in the way of the next one.
          current.abort();
          if (!given) await recover(error, signal);
        }
      }
    },
    anew: () => current.abort(),
  };
}

/** Somebody who stops does not wait for work that does not settle. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort);
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    if (signal.aborted) abort();
  });
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
