import { notesOf, objectOf } from "@orch/history/note-keys.js";
import { mostObjectBytes } from "@orch/history/rules.js";
import { readChanges } from "@orch/history/states.js";
import { sleep, systemClock } from "@orch/runtime/clock.js";
import type { NewNote } from "@orch/store/notes.js";
import type { Key } from "@orch/store/revision.js";
import { LRUCache } from "lru-cache";
import { type HistoryMetrics, noHistoryMetrics } from "./metrics.js";
import {
  type AgedRevisions,
  type KeptHistory,
  limitsAt,
  oldestKept,
  overAt,
  removeAll,
  type SweepDeps,
  type Swept,
  sweep,
} from "./sweep.js";

export interface KeeperDeps extends SweepDeps {
  readonly log: (what: string, error: unknown) => void;
  readonly metrics?: HistoryMetrics | undefined;
}

export interface HistoryKeeper {
  /** A change was made, with this note. */
  noted(note: NewNote): void;
  /** Removes what is over the limits, until the signal. */
  run(signal: AbortSignal): Promise<void>;
  /** One round over everything. */
  round(): Promise<KeptHistory>;
}

const roundMs = 3600_000;
const firstRoundMs = 10 * 60_000;
/** An object is looked at again when it has so many more notes than it may have. */
const slack = 50;
/** And when so many bytes were added to them. */
const slackBytes = mostObjectBytes / 4;
const mostCounted = 10_000;
/** A round is made early when so large a part of the bytes that may be kept was added. */
const earlyShare = 8;

/** Bounds what is kept of objects' past: states an object, age, and bytes of all together. */
export function createKeeper(deps: KeeperDeps): HistoryKeeper {
  const { store, policy, log, metrics = noHistoryMetrics } = deps;
  const counts = new LRUCache<Key, Counted>({ max: mostCounted });
  let added = 0;
  let aged: AgedRevisions = new Map();
  let wake = (): void => {};
  const trim = async (object: Key, counted: Counted): Promise<void> => {
    const oldest = await oldestOver(deps, object, counted);
    if (oldest !== undefined) {
      if (oldest.length > 0) await store.notes.remove("states", oldest);
      metrics.removed(oldest.length);
      return;
    }
    const changes = await readChanges(store, object);
    const gone = overAt(deps, object, { changes, oldest: Number.NEGATIVE_INFINITY });
    await removeAll(store, gone);
    metrics.removed(gone.length);
  };
  const swept = async (oldest: number): Promise<Swept> => {
    const found = await sweep(deps, { oldest, aged });
    aged = found.aged;
    metrics.removed(found.removed);
    return found;
  };
  const round = async (): Promise<KeptHistory> => {
    added = 0;
    const first = await swept(Number.NEGATIVE_INFINITY);
    const isOver = first.bytes > policy.maxBytes;
    const last = isOver ? await swept(oldestKept(first.ages, policy.maxBytes)) : first;
    const { records, bytes, unreadable } = last;
    const kept = { records, bytes, unreadable, removed: isOver ? first.removed + last.removed : first.removed };
    metrics.round(kept);
    return kept;
  };
  return {
    noted({ key: at, value }) {
      const object = objectOf(at);
      added += value.length;
      if (added > policy.maxBytes / earlyShare) wake();
      const { notes, bytes } = counts.get(object) ?? { notes: 0, bytes: 0 };
      const counted = { notes: notes + 1, bytes: bytes + value.length };
      if (counted.notes < slack && counted.bytes < slackBytes) {
        counts.set(object, counted);
        return;
      }
      counts.delete(object);
      trim(object, counted).catch((error: unknown) => log("an object's history could not be cut", error));
    },
    round,
    async run(signal) {
      for (let waitMs = firstRoundMs; !signal.aborted; waitMs = roundMs) {
        const early = new AbortController();
        wake = () => early.abort();
        await sleep(systemClock, waitMs, AbortSignal.any([signal, early.signal]));
        if (signal.aborted) return;
        await round().catch((error: unknown) => {
          metrics.round(undefined);
          log("objects' history could not be cut; the next round tries again", error);
        });
      }
    },
  };
}

/**
 * The notes that an object has over its states, where they can be told without reading all: nothing of it was deleted, so that the
 * order of keys is that of the changes. Undefined where they cannot, or where it may be over another bound.
 */
async function oldestOver(deps: KeeperDeps, object: Key, counted: Counted): Promise<readonly Key[] | undefined> {
  const limits = limitsAt(deps, object);
  if (limits === undefined) return undefined;
  const aboutAll = (counted.bytes / counted.notes) * (limits.maxStates + slack);
  if (aboutAll > mostObjectBytes) return undefined;
  const { notes } = deps.store;
  const prefix = notesOf(object);
  const [states, deletions] = await Promise.all([notes.count("states", prefix), notes.count("deleted", prefix)]);
  const over = states - limits.maxStates;
  if (deletions > 0) return undefined;
  if (over <= 0) return [];
  const oldest = await notes.range({ space: "states", prefix, limit: over });
  const isOrdered = oldest.every(({ revision }, i) => revision > (oldest[i - 1]?.revision ?? 0));
  return isOrdered ? oldest.map(({ key }) => key) : undefined;
}

interface Counted {
  readonly notes: number;
  readonly bytes: number;
}
