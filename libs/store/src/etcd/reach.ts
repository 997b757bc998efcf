import type { Logger } from "../logger.js";

/** Tells the operator when the store cannot be reached: once, then now and then, and when it is back. */
export interface Reach {
  answered(): void;
  failed(why: string): void;
}

const againMs = 30_000;

export interface ReachOptions {
  readonly endpoints: readonly string[];
  readonly logger: Logger | undefined;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

export function createReach({ endpoints, logger, now }: ReachOptions): Reach {
  let away: { readonly since: number; told: number } | undefined;
  const seconds = (since: number): number => Math.round((now() - since) / 1000);
  return {
    answered() {
      if (away === undefined) return;
      logger?.info({ endpoints, seconds: seconds(away.since) }, "the store answers again");
      away = undefined;
    },
    failed(why) {
      const at = now();
      if (away !== undefined && at - away.told < againMs) return;
      away ??= { since: at, told: at };
      away.told = at;
      logger?.error({ endpoints, why, seconds: seconds(away.since) }, "the store cannot be reached; trying on");
    },
  };
}
