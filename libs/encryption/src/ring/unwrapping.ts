import type { Clock } from "@orch/status/clock.js";
import { PluginFailure, type PluginKeys, type WrappedKey } from "../plugin-keys.js";

/** Time, as an argument. */
export type RingClock = Pick<Clock, "monotonic" | "after">;

/** Asks for data keys that are not at hand, each once at a time. */
export interface Unwrapping {
  /** Rejects with a {@link PluginFailure}. */
  unwrap(id: string, key: WrappedKey): Promise<Buffer>;
  stop(): void;
}

export interface UnwrappingDeps {
  readonly plugins: PluginKeys;
  readonly clock: RingClock;
  /** A key came that was asked for in vain before: what it opens can be read again. */
  readonly regained: () => void;
}

/** Questions to one provider at a time: KMS v1 has a key for each value. */
const mostAtOnce = 32;
/** A plugin that is away is not asked again for so long: whoever asks is told at once. */
const restMs = 1_000;
/** How often a key that did not come is asked for again. */
const retryMs = 3_000;

/** For one provider. */
export function createUnwrapping({ plugins, clock, regained }: UnwrappingDeps): Unwrapping {
  const underWay = new Map<string, Promise<Buffer>>();
  const waiting: (() => void)[] = [];
  let running = 0;
  let away: { readonly failure: PluginFailure; readonly until: number } | undefined;
  /** One that did not come, by which it is seen that they come again. */
  let lost: WrappedKey | undefined;
  let stopped = false;

  const rest = (): void => {
    if (away === undefined) return;
    if (clock.monotonic() < away.until) throw away.failure;
    away = undefined;
  };
  const ask = async (key: WrappedKey): Promise<Buffer> => {
    if (running >= mostAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    running++;
    try {
      rest();
      return await plugins.unwrap(key);
    } catch (error) {
      if (error instanceof PluginFailure && error.away) {
        away ??= { failure: error, until: clock.monotonic() + restMs };
      }
      throw error;
    } finally {
      running--;
      waiting.shift()?.();
    }
  };
  const tryAgain = async (): Promise<void> => {
    if (lost === undefined || stopped) return;
    try {
      await ask(lost);
    } catch {
      clock.after(retryMs, () => void tryAgain());
      return;
    }
    lost = undefined;
    regained();
  };
  const lose = (key: WrappedKey): void => {
    if (lost !== undefined) return;
    lost = key;
    clock.after(retryMs, () => void tryAgain());
  };

  return {
    unwrap(id, key) {
      const known = underWay.get(id);
      if (known !== undefined) return known;
      const asked = ask(key)
        .catch((error: unknown) => {
          lose(key);
          throw error;
        })
        .finally(() => underWay.delete(id));
      underWay.set(id, asked);
      return asked;
    },
    stop() {
      stopped = true;
    },
  };
}
