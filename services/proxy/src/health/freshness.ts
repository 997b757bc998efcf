import type { Clock } from "@orch/status/clock.js";

/** Whether rules follow changes: what was queued has to be written before twice the sync period is over. */
export interface Freshness {
  /** A change waits to be written. */
  queued(): void;
  /** All that was queued when this sync began is written. */
  updated(): void;
  readonly isFresh: boolean;
  /** Milliseconds since 1970; 0: never. */
  readonly lastUpdated: number;
}

export function createFreshness({ clock, syncMs }: { readonly clock: Clock; readonly syncMs: number }): Freshness {
  let queuedAt: number | undefined = clock.monotonic();
  let lastUpdated = 0;
  return {
    queued() {
      queuedAt ??= clock.monotonic();
    },
    updated() {
      queuedAt = undefined;
      lastUpdated = clock.now();
    },
    get isFresh() {
      return queuedAt === undefined || clock.monotonic() - queuedAt < 2 * syncMs;
    },
    get lastUpdated() {
      return lastUpdated;
    },
  };
}
