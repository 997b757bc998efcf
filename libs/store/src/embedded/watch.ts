import { expired } from "@orch/status/api-error.js";
import { contains, keyRange } from "../key-range.js";
import { revision } from "../revision.js";
import type { StoreEvent, WatchItem, WatchQuery } from "../store.js";
import type { EmbeddedDatabase } from "./database.js";
import { toEvent } from "./entry.js";
import type { Tip } from "./tip.js";

const maxBatch = 512;
const maxBatchBytes = 4 << 20;

/** Follows the log from a revision on (see Store.watch). A slow consumer costs nothing: it reads when it comes back. */
export async function* followLog(database: EmbeddedDatabase, tip: Tip, query: WatchQuery): AsyncGenerator<WatchItem> {
  let next: number = query.from;
  while (!query.signal.aborted && !tip.closed()) {
    const batch = readChanges(database, query, next);
    if (batch.events.length > 0) yield { type: "events", events: batch.events };
    // Changes under other prefixes moved the revision without an event here: say how far this watch has seen.
    if (batch.next > batch.afterLastEvent) yield { type: "progress", revision: revision(batch.next - 1) };
    next = batch.next;
    await tip.reached(next, query.signal);
  }
}

interface Batch {
  readonly events: readonly StoreEvent[];
  /** Where to go on. */
  readonly next: number;
  /** Where to go on as far as a receiver can tell by the events. */
  readonly afterLastEvent: number;
}

function readChanges(database: EmbeddedDatabase, query: WatchQuery, from: number): Batch {
  const range = keyRange(query.prefix);
  const snapshot = database.snapshot();
  try {
    if (from <= snapshot.compacted) {
      throw expired(`changes from revision ${from} on were compacted; the oldest state is ${snapshot.compacted}`);
    }
    const events: StoreEvent[] = [];
    let bytes = 0;
    let next = from;
    let afterLastEvent = from;
    for (const { revision: at, record } of snapshot.changes(from)) {
      if (events.length >= maxBatch || bytes > maxBatchBytes) return { events, next, afterLastEvent: next };
      next = at + 1;
      if (!contains(range, record.key)) continue;
      events.push(toEvent(snapshot, at, record));
      bytes += record.value.length;
      afterLastEvent = next;
    }
    return { events, next, afterLastEvent };
  } finally {
    snapshot.release();
  }
}
