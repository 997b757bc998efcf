import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { unavailable } from "@orch/status/api-error.js";
import { type Clock, systemClock } from "./clock.js";
import { ageHistory, createCompactor } from "./embedded/compactor.js";
import { openDatabase, type Snapshot } from "./embedded/database.js";
import { entryAt } from "./embedded/entry.js";
import { takeLock } from "./embedded/lock.js";
import { createPastReader } from "./embedded/past.js";
import { readRange } from "./embedded/range.js";
import { createTip } from "./embedded/tip.js";
import { followLog } from "./embedded/watch.js";
import { createWriter } from "./embedded/writer.js";
import { checkKeySize, checkPrefix, checkSize, type Limits } from "./limits.js";
import { revision } from "./revision.js";
import type { Store } from "./store.js";

export interface EmbeddedStoreOptions {
  /** The data directory; made when it is not there. */
  readonly path: string;
  /** All keys start with it. */
  readonly prefix: string;
  readonly clock?: Clock;
  /** How long history is kept at least, in milliseconds; 5 minutes. */
  readonly historyMs?: number;
  /** How often history is looked at, in milliseconds; 1 minute. */
  readonly intervalMs?: number;
  /** The largest value, in bytes; 2 MiB: an object of 1.5 MiB fits in any encoding and encryption. */
  readonly maxValueBytes?: number;
}

/** LMDB with 4 KiB pages takes keys of this many bytes; its binding crashes on longer ones. */
const maxKeyBytes = 1978;

/**
 * The Store on LMDB in a directory of this process: durable, one writer, history compacted by age.
 * Throws StoreLockedError when another process holds the directory.
 */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<Store> {
  mkdirSync(options.path, { recursive: true, mode: 0o700 });
  const unlock = takeLock(options.path);
  try {
    return await openLocked(options, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

async function openLocked(options: EmbeddedStoreOptions, unlock: () => void): Promise<Store> {
  const { prefix, clock = systemClock, historyMs = 5 * 60_000, intervalMs = 60_000 } = options;
  const limits: Limits = { keyBytes: maxKeyBytes, valueBytes: options.maxValueBytes ?? 2 << 20 };
  const database = openDatabase(join(options.path, "data.mdb"));
  const closing = new AbortController();
  const reading = <T>(read: (snapshot: Snapshot) => T): T => {
    if (closing.signal.aborted) throw unavailable("the store is closed");
    const snapshot = database.snapshot();
    try {
      return read(snapshot);
    } finally {
      snapshot.release();
    }
  };
  const tip = createTip(reading((snapshot) => snapshot.revision));
  const writer = createWriter(database, (at) => tip.move(at));
  const compactor = createCompactor(database, closing.signal);
  const past = createPastReader();
  const ranges = new Set<Promise<unknown>>();
  const aging = ageHistory({ database, compactor, clock, historyMs, intervalMs, signal: closing.signal });

  async function close(): Promise<void> {
    await writer.close();
    closing.abort();
    tip.close();
    await Promise.allSettled([...ranges, compactor.swept(), aging]);
    await database.close();
    unlock();
  }
  let closed: Promise<void> | undefined;

  return {
    revision: async () => reading((snapshot) => revision(snapshot.revision)),
    get: async (key) =>
      reading((snapshot) => {
        checkPrefix(key, prefix);
        const bytes = Buffer.from(key);
        // lmdb must never see a longer one, and none was ever stored.
        const place = bytes.length > maxKeyBytes ? undefined : snapshot.find(bytes);
        return place === undefined ? undefined : entryAt(snapshot, place.revision);
      }),
    async range(query) {
      checkPrefix(query.prefix, prefix);
      checkKeySize(query.from ?? query.prefix, limits);
      if (closing.signal.aborted) throw unavailable("the store is closed");
      const snapshot = database.snapshot();
      const range = readRange(snapshot, query, past).finally(() => snapshot.release());
      ranges.add(range);
      return range.finally(() => ranges.delete(range));
    },
    async swap(change) {
      checkPrefix(change.key, prefix);
      checkSize(change, limits);
      return writer.swap(change);
    },
    watch(query) {
      checkPrefix(query.prefix, prefix);
      return followLog(database, tip, query);
    },
    async compact(to) {
      if (closing.signal.aborted) throw unavailable("the store is closed");
      await compactor.compact(to);
    },
    close: () => (closed ??= close()),
  };
}
