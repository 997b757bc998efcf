import type { Clock } from "@orch/status/clock.js";

/** Whether rules follow changes: what was queued has to be written before twice the sync period is over. */
export interface Freshness {
  /** A change waits to be written. */
  queued(): void;
  /** All that was queued before a moment of the monotonic clock is written. */
  updated(before: number): void;
  readonly isFresh: boolean;
  /** Milliseconds since 1970; 0: never. */
  readonly lastUpdated: number;
}

export function createFreshness({ clock, syncMs }: { readonly clock: Clock; readonly syncMs: number }): Freshness {
  let queuedAt: number | undefined = clock.monotonic();
  let lastQueuedAt = clock.monotonic();
  let lastUpdated = 0;
  return {
    queued() {
      lastQueuedAt = clock.monotonic();
      queuedAt ??= lastQueuedAt;
    },
    updated(before) {
      // What came since waits from then on at the longest.
      queuedAt = lastQueuedAt > before ? before : undefined;
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
