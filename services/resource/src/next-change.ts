import { sleep, systemClock } from "@orch/runtime/clock.js";
import type { Key, Revision } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";

export interface Since {
  readonly from: Revision;
  /** At most so long. */
  readonly roundMs: number;
  readonly signal: AbortSignal;
}

/** Settles when something under these prefixes has changed since, or the round is over. */
export async function nextChange(store: Store, prefixes: readonly Key[], since: Since): Promise<void> {
  const { from, roundMs, signal } = since;
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const change = async (prefix: Key): Promise<void> => {
    for await (const item of store.watch({ prefix, from, signal: either })) if (item.type === "events") return;
  };
  const ended = prefixes.map((prefix) => change(prefix));
  try {
    await Promise.race([...ended, sleep(systemClock, roundMs, either)]);
  } finally {
    over.abort();
    await Promise.allSettled(ended);
  }
}
