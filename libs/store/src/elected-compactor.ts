import { type Clock, systemClock } from "./clock.js";
import { compactionKey } from "./etcd/layout.js";
import { compactionTarget, type Moment, trimmed } from "./history.js";
import type { Logger } from "./logger.js";
import { noRevision, revision } from "./revision.js";
import type { Store } from "./store.js";
import { StoreUnreachable } from "./unreachable.js";

export interface CompactorOptions {
  readonly store: Store;
  /** The prefix that the store was opened with. */
  readonly prefix: string;
  /** How long history is kept at least, in milliseconds; 5 minutes. */
  readonly historyMs?: number;
  readonly intervalMs?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly signal: AbortSignal;
}

/**
 * Compacts a store that several processes share, until the signal. Every process runs one: each notes
 * the revisions that it saw and when (by its own clock alone: clocks of different machines are never
 * compared), and whoever first moves the shared compaction key to a revision that is old enough
 * compacts. The others see the moved key and have nothing to do.
 * (The embedded store compacts itself.)
 */
export async function startCompactor(options: CompactorOptions): Promise<void> {
  const { store, prefix, historyMs = 5 * 60_000, intervalMs = 60_000, clock = systemClock, logger, signal } = options;
  let journal: readonly Moment[] = [];
  while (!signal.aborted) {
    try {
      journal = await compactOnce({ store, prefix, historyMs, now: clock.now(), journal });
    } catch (error) {
      if (!signal.aborted && !(error instanceof StoreUnreachable))
        logger?.warn({ err: error }, "history could not be compacted; the next round tries again");
    }
    await clock.sleep(intervalMs, signal);
  }
}

interface Round {
  readonly store: Store;
  readonly prefix: string;
  readonly historyMs: number;
  readonly now: number;
  readonly journal: readonly Moment[];
}

/** One round; returns the journal for the next. */
export async function compactOnce({ store, prefix, historyMs, now, journal }: Round): Promise<readonly Moment[]> {
  const seen = [...journal, { time: now, revision: await store.revision() }];
  const target = compactionTarget(seen, now, historyMs);
  const key = compactionKey(prefix);
  const current = await store.get(key);
  const compacted = Number(current?.value.toString() ?? 0);
  if (target > compacted) {
    const value = Buffer.from(String(target));
    const swap = await store.swap({ key, expected: current?.revision ?? noRevision, value });
    if (swap.done) await store.compact(revision(target));
  }
  return trimmed(seen, now, historyMs);
}
