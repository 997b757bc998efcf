import { unavailable } from "@orch/status/api-error.js";
import { revision } from "../revision.js";
import type { Change, Entry, Swap } from "../store.js";
import type { EmbeddedDatabase, Snapshot } from "./database.js";
import { type Decision, decide, type Verdict } from "./decide.js";
import { entryAt, toEntry } from "./entry.js";

interface Waiting {
  readonly change: Change;
  readonly resolve: (swap: Swap) => void;
  readonly reject: (error: unknown) => void;
}

export interface Writer {
  swap(change: Change): Promise<Swap>;
  /** Refuses new changes and waits for those under way. */
  close(): Promise<void>;
}

/** One commit takes what arrived while the one before it was flushed, but no more than this. */
const maxGroup = 2048;
const maxGroupBytes = 16 << 20;

/**
 * Group commit: however many swaps wait, one transaction and one flush serve them all. Decisions are
 * taken in the main thread against the durable state plus the earlier swaps of the group; this is the
 * same as inside the write transaction because there is only this writer and one group at a time.
 */
export function createWriter(database: EmbeddedDatabase, committed: (revision: number) => void): Writer {
  const waiting: Waiting[] = [];
  let running: Promise<void> | undefined;
  let closed = false;

  async function run(): Promise<void> {
    await Promise.resolve(); // swaps of the same tick share the first commit
    while (waiting.length > 0) await commitGroup(database, takeGroup(waiting), committed);
    running = undefined;
  }

  return {
    swap(change) {
      if (closed) return Promise.reject(unavailable("the store is closed"));
      return new Promise((resolve, reject) => {
        waiting.push({ change, resolve, reject });
        running ??= run();
      });
    },
    async close() {
      closed = true;
      await running;
    },
  };
}

function takeGroup(waiting: Waiting[]): readonly Waiting[] {
  let bytes = 0;
  let size = 0;
  for (const { change } of waiting) {
    bytes += change.value?.length ?? 0;
    if (size === maxGroup || (size > 0 && bytes > maxGroupBytes)) break;
    size++;
  }
  return waiting.splice(0, size);
}

async function commitGroup(
  database: EmbeddedDatabase,
  group: readonly Waiting[],
  committed: (revision: number) => void,
): Promise<void> {
  const snapshot = database.snapshot();
  try {
    const decision = decide(
      group.map(({ change }) => change),
      snapshot.revision,
      (key) => snapshot.find(Buffer.from(key)),
    );
    // Answered before the commit, from the snapshot it is based on; told only after it.
    const swaps = decision.verdicts.map((verdict) => toSwap(verdict, decision, snapshot));
    if (decision.revision > snapshot.revision) {
      await database.commit({ revision: decision.revision, records: decision.records, places: decision.places });
      committed(decision.revision);
    }
    for (const [i, { resolve }] of group.entries()) {
      const swap = swaps[i];
      if (swap !== undefined) resolve(swap);
    }
  } catch (error) {
    for (const { reject } of group) reject(error);
  } finally {
    snapshot.release();
  }
}

function toSwap(verdict: Verdict, decision: Decision, snapshot: Snapshot): Swap {
  if (verdict.done) return { done: true, revision: revision(verdict.revision) };
  if (verdict.place === undefined) return { done: false };
  return { done: false, current: current(verdict.place.revision, decision, snapshot) };
}

function current(at: number, decision: Decision, snapshot: Snapshot): Entry {
  const inGroup = decision.records.get(at);
  if (inGroup === undefined) return entryAt(snapshot, at);
  // The value belongs to another caller of this group: give away a copy.
  const value = Buffer.allocUnsafeSlow(inGroup.value.length);
  inGroup.value.copy(value);
  return toEntry(at, { ...inGroup, value });
}
