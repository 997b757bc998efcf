import type { Duplex } from "node:stream";
import type { HostPort } from "../dial.js";

export interface StagedOptions {
  readonly signal: AbortSignal;
  /** Called once the proxy itself is reached. */
  readonly reached: () => void;
}

/** Dials through a proxy: first to it, then by it. Rejects when `signal` aborts. */
export type Staged = (to: HostPort, options: StagedOptions) => Promise<Duplex>;

/** `10.0.0.1:443`, `[::1]:443`. */
export const addressOf = ({ host, port }: HostPort): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;

/**
 * What a promise of events settles as, or the signal's reason. `settle` gets the two ways to end and gives what takes
 * its listeners away.
 */
export function settled<T>(
  signal: AbortSignal,
  settle: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const done = (): void => {
      signal.removeEventListener("abort", aborted);
      release();
    };
    const aborted = (): void => {
      done();
      reject(signal.reason);
    };
    const release = settle(
      (value) => {
        done();
        resolve(value);
      },
      (error) => {
        done();
        reject(error);
      },
    );
    signal.addEventListener("abort", aborted, { once: true });
  });
}
