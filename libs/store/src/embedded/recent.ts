import { createSlabs } from "../slabs.js";
import type { StoreEvent } from "../store.js";
import type { EmbeddedDatabase, Snapshot } from "./database.js";
import { toEvent } from "./entry.js";
import type { LogRecord } from "./record.js";

/** What was committed last, as watches tell it: made once, however many watches are at the tip. */
export interface RecentChanges {
  /** What a commit wrote, by consecutive revisions, once it is durable. */
  add(records: ReadonlyMap<number, LogRecord>): void;
  /** The change at a revision; undefined where it is older than what is kept, or still to come. */
  at(revision: number): RecentChange | undefined;
}

export interface RecentChange {
  readonly key: string;
  readonly event: StoreEvent;
  /** Of its values. */
  readonly bytes: number;
}

const maxChanges = 4096;
const maxBytes = 4 << 20;
/** Values come and go in the order of their revisions. */
const slabBytes = 64 << 10;

export function createRecentChanges(database: EmbeddedDatabase): RecentChanges {
  let changes: RecentChange[] = [];
  let first = 0;
  let bytes = 0;
  const allocate = createSlabs(slabBytes);

  /** Half of it at once: what is left is moved seldom. */
  const forget = (): void => {
    const from = changes.length - Math.floor(maxChanges / 2);
    let start = Math.max(0, from);
    let left = changes.slice(start).reduce((sum, change) => sum + change.bytes, 0);
    while (left > maxBytes / 2) left -= changes[start++]?.bytes ?? 0;
    changes = changes.slice(start);
    first += start;
    bytes = left;
  };

  return {
    add(records) {
      // Only what was there before is read, and a creation has nothing before it.
      let snapshot: Snapshot | undefined;
      try {
        for (const [at, record] of records) {
          if (at !== first + changes.length) {
            changes = [];
            first = at;
            bytes = 0;
          }
          // The value is its writer's.
          const value = allocate(record.value.length);
          record.value.copy(value);
          if (record.previous !== 0) snapshot ??= database.snapshot();
          const event = toEvent(snapshot, at, { ...record, value });
          const key = event.type === "put" ? event.entry.key : event.key;
          const size = value.length + (event.previous?.value.length ?? 0);
          changes.push({ key, event, bytes: size });
          bytes += size;
        }
      } finally {
        snapshot?.release();
      }
      if (changes.length > maxChanges || bytes > maxBytes) forget();
    },
    at: (wanted) => changes[wanted - first],
  };
}
