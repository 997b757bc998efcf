import { sleep, systemClock } from "@orch/runtime/clock.js";
import { type Key, type Revision, revision } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";

/** Changes of a prefix, from a revision on. */
export interface Changes {
  readonly prefix: Key;
  readonly from: Revision;
}

/** The changes of these prefixes that come from now on. */
export function changesToCome(store: Store, prefixes: readonly Key[]): Promise<readonly Changes[]> {
  return Promise.all(prefixes.map(async (prefix) => ({ prefix, from: revision((await store.revision(prefix)) + 1) })));
}

export interface Round {
  /** At most so long. */
  readonly roundMs: number;
  readonly signal: AbortSignal;
}

/** Settles when one of these changes has come, or the round is over. */
export async function nextChange(store: Store, changes: readonly Changes[], { roundMs, signal }: Round): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const change = async ({ prefix, from }: Changes): Promise<void> => {
    for await (const item of store.watch({ prefix, from, signal: either })) if (item.type === "events") return;
  };
  const ended = changes.map(change);
  try {
    await Promise.race([...ended, sleep(systemClock, roundMs, either)]);
  } finally {
    over.abort();
    await Promise.allSettled(ended);
  }
}
