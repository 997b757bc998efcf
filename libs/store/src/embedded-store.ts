import { join } from "node:path";
import { unavailable } from "@orch/status/api-error.js";
import { type Clock, systemClock } from "./clock.js";
import { type Damage, DamagedEntry } from "./damaged-entry.js";
import { ageHistory, createCompactor } from "./embedded/compactor.js";
import { createDamages } from "./embedded/damages.js";
import type { EmbeddedDatabase, Snapshot } from "./embedded/database.js";
import { dataFile, takeDirectory } from "./embedded/directory.js";
import { entryAt } from "./embedded/entry.js";
import { createPastReader } from "./embedded/past.js";
import { readRange } from "./embedded/range.js";
import { createRecentChanges } from "./embedded/recent.js";
import { relieve } from "./embedded/relieve.js";
import { openRoom } from "./embedded/room.js";
import { keepScrubbing } from "./embedded/scrub.js";
import { createTip } from "./embedded/tip.js";
import { followLog } from "./embedded/watch.js";
import { createWriter } from "./embedded/writer.js";
import type { ExpectedDialect, StoreIdentity } from "./identity.js";
import { checkKeySize, checkPrefix, checkSize, type Limits } from "./limits.js";
import type { Logger } from "./logger.js";
import { revision } from "./revision.js";
import type { Store } from "./store.js";
import { StoreRefused } from "./store-refused.js";

export interface EmbeddedStoreOptions {
  /** The data directory; made when it is not there. */
  readonly path: string;
  /** All keys start with it. */
  readonly prefix: string;
  /** Data of another dialect is refused; none is where this is absent. */
  readonly dialect?: ExpectedDialect;
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** How long history is kept at least, in milliseconds; 5 minutes. */
  readonly historyMs?: number;
  /** How often history is looked at, in milliseconds; 1 minute. */
  readonly intervalMs?: number;
  /** How often everything is read for damage, in milliseconds; an hour, 0 for never. */
  readonly scrubIntervalMs?: number;
  /** Bytes of the medium that are kept back for essential changes; 4 MiB. */
  readonly reserveBytes?: number;
  /** The largest value, in bytes; 2 MiB: an object of 1.5 MiB fits in any encoding and encryption. */
  readonly maxValueBytes?: number;
}

export interface EmbeddedStore extends Store {
  readonly identity: StoreIdentity;
  readonly condition: Condition;
}

/** How the medium is. */
export interface Condition {
  /** Only deletions and essential changes are taken, for want of room. */
  readonly full: boolean;
  /** Bytes that other changes may still use before more is asked of the medium. */
  readonly roomBytes: number;
  /** Entries that were found to be damaged and are neither deleted nor written anew. */
  readonly damaged: readonly Damage[];
  /** Lines and entries that scrubs have read. */
  readonly scrubbed: number;
}

/** LMDB with 4 KiB pages takes keys of this many bytes; its binding crashes on longer ones. */
const maxKeyBytes = 1978;

const fullText =
  "the store has no room left: deletions, lease renewals and the server's own writes go on, all others are refused; free some space on its medium, or delete objects";

/**
 * The Store on LMDB in a directory of this process: durable, one writer, history compacted by age.
 * Throws StoreLockedError when another process holds the directory, and StoreRefused when what lies there is another
 * dialect's or a newer version's, or is not whole.
 */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<EmbeddedStore> {
  const taken = await takeDirectory({ path: options.path, dialect: options.dialect, logger: options.logger });
  try {
    return await openTaken(options, taken);
  } catch (error) {
    await taken.database.close();
    taken.unlock();
    throw error;
  }
}

interface Taken {
  readonly database: EmbeddedDatabase;
  readonly identity: StoreIdentity;
  readonly unlock: () => void;
}

async function openTaken(options: EmbeddedStoreOptions, taken: Taken): Promise<EmbeddedStore> {
  const { prefix, logger, clock = systemClock, historyMs = 5 * 60_000, intervalMs = 60_000 } = options;
  const limits: Limits = { keyBytes: maxKeyBytes, valueBytes: options.maxValueBytes ?? 2 << 20 };
  const { database, unlock, identity } = taken;
  const closing = new AbortController();
  const { signal } = closing;
  const reading = <T>(read: (snapshot: Snapshot) => T): T => {
    if (signal.aborted) throw unavailable("the store is closed");
    const snapshot = database.snapshot();
    try {
      return read(snapshot);
    } finally {
      snapshot.release();
    }
  };
  const newest = reading((snapshot) => snapshot.revision);
  const damages = createDamages((damage) =>
    logger?.error({ ...damage }, "a stored entry is damaged; it is not served until it is deleted or restored"),
  );
  let relieving: Promise<void> | undefined;
  let startRelieving = (): void => {};
  const room = await openRoom({
    database,
    file: join(options.path, dataFile),
    reserve: options.reserveBytes ?? 4 << 20,
    onChange(full) {
      if (full) logger?.error({ path: options.path }, fullText);
      else logger?.info({ path: options.path }, "the store has room again, and its reserve; all writes are taken");
      if (full) startRelieving();
    },
  });
  if (room.full && newest === 0)
    throw new StoreRefused(`there is no room for a new store in ${options.path}: free some space on its medium`);
  const tip = createTip(newest);
  const recent = createRecentChanges(database);
  const writer = createWriter({
    ...{ database, room, damages },
    committed({ revision: at, records }) {
      recent.add(records);
      tip.move(at);
    },
  });
  const compactor = createCompactor(database, signal);
  const past = createPastReader();
  const ranges = new Set<Promise<unknown>>();
  const aging = ageHistory({ database, compactor, clock, historyMs, intervalMs, signal });
  let scrubbed = 0;
  const scrubIntervalMs = options.scrubIntervalMs ?? 3_600_000;
  const checked = (count: number): void => {
    scrubbed += count;
  };
  const scrubbing =
    scrubIntervalMs === 0
      ? undefined
      : keepScrubbing({ database, clock, signal, intervalMs: scrubIntervalMs, checked, seen: damages.seen }).catch(
          (err: unknown) => logger?.error({ err }, "the store could not be read through; it may be damaged"),
        );
  startRelieving = (): void => {
    relieving ??= relieve({ database, compactor, room, clock, historyMs, signal }).finally(() => {
      relieving = undefined;
      if (room.full && !signal.aborted) startRelieving();
    });
  };
  if (room.full) startRelieving();
  /** Whoever meets a damaged entry tells of it. */
  const noted = (error: unknown): never => {
    if (error instanceof DamagedEntry) damages.found({ key: error.key, revision: error.revision, why: error.why });
    throw error;
  };

  async function close(): Promise<void> {
    await writer.close();
    closing.abort();
    tip.close();
    await Promise.allSettled([...ranges, compactor.swept(), aging, scrubbing, relieving]);
    await database.close();
    unlock();
  }
  let closed: Promise<void> | undefined;

  return {
    identity,
    condition: {
      get full() {
        return room.full;
      },
      get roomBytes() {
        return room.bytes;
      },
      get damaged() {
        return damages.all;
      },
      get scrubbed() {
        return scrubbed;
      },
    },
    revision: async () => reading((snapshot) => revision(snapshot.revision)),
    get: async (key) =>
      reading((snapshot) => {
        checkPrefix(key, prefix);
        const bytes = Buffer.from(key);
        // lmdb must never see a longer one, and none was ever stored.
        const place = bytes.length > maxKeyBytes ? undefined : snapshot.find(bytes);
        try {
          return place === undefined ? undefined : entryAt(snapshot, { key: bytes, revision: place.revision });
        } catch (error) {
          return noted(error);
        }
      }),
    async range(query) {
      checkPrefix(query.prefix, prefix);
      checkKeySize(query.from ?? query.prefix, limits);
      if (closing.signal.aborted) throw unavailable("the store is closed");
      const snapshot = database.snapshot();
      const range = readRange(snapshot, query, past).finally(() => snapshot.release());
      ranges.add(range);
      range.finally(() => ranges.delete(range)).catch(() => {});
      const answer = await range.catch(noted);
      for (const damage of answer.damaged ?? []) damages.found(damage);
      return answer;
    },
    async swap(change) {
      checkPrefix(change.key, prefix);
      checkSize(change, limits);
      return writer.swap(change);
    },
    watch(query) {
      checkPrefix(query.prefix, prefix);
      return followLog({ database, recent, tip }, query);
    },
    async compact(to) {
      if (closing.signal.aborted) throw unavailable("the store is closed");
      await compactor.compact(to);
    },
    close: () => (closed ??= close()),
  };
}
