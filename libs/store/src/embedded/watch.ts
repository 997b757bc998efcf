import { expired } from "@orch/status/api-error.js";
import { contains, keyRange } from "../key-range.js";
import { revision } from "../revision.js";
import type { StoreEvent, WatchItem, WatchQuery } from "../store.js";
import type { EmbeddedDatabase, Snapshot } from "./database.js";
import { toEvent, toKey } from "./entry.js";
import type { RecentChanges } from "./recent.js";
import type { DamagedRecord } from "./record.js";
import type { Tip } from "./tip.js";

const maxBatch = 512;
const maxBatchBytes = 4 << 20;

export interface Log {
  readonly database: EmbeddedDatabase;
  readonly recent: RecentChanges;
  readonly tip: Tip;
}

/** Follows the log from a revision on (see Store.watch). A slow consumer costs nothing: it reads when it comes back. */
export async function* followLog({ database, recent, tip }: Log, query: WatchQuery): AsyncGenerator<WatchItem> {
  let next: number = query.from;
  // The log first: it knows whether what came before is still known.
  let batch = readChanges(database, query, next);
  const follower = tip.follow(query.signal);
  try {
    while (!follower.over) {
      if (batch.events.length > 0) yield { type: "events", events: batch.events };
      // Changes under other prefixes moved the revision without an event here: say how far this watch has seen.
      if (batch.next > batch.afterLastEvent) yield { type: "progress", revision: revision(batch.next - 1) };
      next = batch.next;
      await follower.reached(next);
      if (follower.over) return;
      batch =
        recent.at(next) === undefined ? readChanges(database, query, next) : takeRecent(recent, query.prefix, next);
    }
  } finally {
    follower.leave();
  }
}

function takeRecent(recent: RecentChanges, prefix: string, from: number): Batch {
  const events: StoreEvent[] = [];
  let bytes = 0;
  let next = from;
  let afterLastEvent = from;
  for (let change = recent.at(next); change !== undefined; change = recent.at(next)) {
    if (events.length >= maxBatch || bytes > maxBatchBytes) return { events, next, afterLastEvent: next };
    next++;
    if (!change.key.startsWith(prefix)) continue;
    events.push(change.event);
    bytes += change.bytes;
    afterLastEvent = next;
  }
  return { events, next, afterLastEvent };
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
      if (record.type === "damaged") {
        const of = keyOfDamaged(snapshot, at, record);
        if (of !== undefined && !contains(range, of)) continue;
        const key = of === undefined ? undefined : toKey(of);
        events.push({ type: "damaged", key, revision: revision(at), why: record.why });
        afterLastEvent = next;
        continue;
      }
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

/** The index knows better than the line itself, for as long as the change is its key's last one. */
function keyOfDamaged(snapshot: Snapshot, at: number, { claims }: DamagedRecord): Buffer | undefined {
  return claims !== undefined && snapshot.find(claims)?.revision === at ? claims : undefined;
}
