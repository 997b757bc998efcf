import { unavailable } from "@orch/status/api-error.js";
import { type Clock, systemClock } from "../clock.js";
import { type Damage, DamagedEntry } from "../damaged-entry.js";
import type { StoreIdentity } from "../identity.js";
import { checkKeySize, checkPrefix, checkSize, type Limits } from "../limits.js";
import type { Logger } from "../logger.js";
import { isReadable } from "../notes.js";
import { revision } from "../revision.js";
import type { Store } from "../store.js";
import { ageHistory, createCompactor } from "./compactor.js";
import { createDamages } from "./damages.js";
import type { EmbeddedDatabase, Snapshot } from "./database.js";
import { entryAt } from "./entry.js";
import { createEmbeddedNotes } from "./notes.js";
import { createPastReader } from "./past.js";
import { readRange } from "./range.js";
import { createRecentChanges } from "./recent.js";
import { relieve } from "./relieve.js";
import type { Room } from "./room.js";
import { keepScrubbing } from "./scrub.js";
import { createTip } from "./tip.js";
import { followLog } from "./watch.js";
import { createWriter } from "./writer.js";

/** What a store of this process is asked for, wherever it keeps its data. */
export interface LocalStoreOptions {
  /** All keys start with it. */
  readonly prefix: string;
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** How long history is kept at least, in milliseconds; 5 minutes. */
  readonly historyMs?: number;
  /** How often history is looked at, in milliseconds; 1 minute. */
  readonly intervalMs?: number;
  /** How often everything is read for damage, in milliseconds; an hour, 0 for never. */
  readonly scrubIntervalMs?: number;
  /** The largest value, in bytes; 2 MiB: an object of 1.5 MiB fits in any encoding and encryption. */
  readonly maxValueBytes?: number;
}

export interface LocalStore extends Store {
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
  /** Lines, entries and notes that scrubs have read. */
  readonly scrubbed: number;
}

/** What a store of this process is made of. */
export interface LocalStoreParts {
  readonly database: EmbeddedDatabase;
  readonly identity: StoreIdentity;
  /** `onFull` is called whenever it has got full. */
  readonly openRoom: (onFull: () => void) => Promise<Room>;
  /** What is done when the database has been closed. */
  readonly release: () => void;
}

const lost = "a stored entry is damaged; it is not served until it is deleted or restored";
const lostNote = "a stored note is damaged; what it tells of an object's past is lost";

/** LMDB with 4 KiB pages takes keys of this many bytes; its binding crashes on longer ones. */
const maxKeyBytes = 1978;

/** The Store over a database: one writer, history compacted by age. */
export async function serveDatabase(options: LocalStoreOptions, parts: LocalStoreParts): Promise<LocalStore> {
  const { prefix, logger, clock = systemClock, historyMs = 5 * 60_000, intervalMs = 60_000 } = options;
  const limits: Limits = { keyBytes: maxKeyBytes, valueBytes: options.maxValueBytes ?? 2 << 20 };
  const noteLimits: Limits = { ...limits, keyBytes: maxKeyBytes - 16 };
  const { database, identity } = parts;
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
  const damages = createDamages((damage) => logger?.error({ ...damage }, damage.note === undefined ? lost : lostNote));
  let relieving: Promise<void> | undefined;
  let startRelieving = (): void => {};
  const room = await parts.openRoom(() => startRelieving());
  const tip = createTip(newest);
  const recent = createRecentChanges(database);
  const writer = createWriter({
    ...{ database, room, damages },
    committed({ revision: at, records }) {
      recent.add(records);
      tip.move(at);
    },
  });
  const notes = createEmbeddedNotes({ database, room, reading });
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
    parts.release();
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
      if (change.note !== undefined) checkSize(change.note, noteLimits);
      return writer.swap(change);
    },
    watch(query) {
      checkPrefix(query.prefix, prefix);
      return followLog({ database, recent, tip }, query);
    },
    notes: {
      async range(query) {
        checkPrefix(query.prefix, prefix);
        checkKeySize(query.from ?? query.prefix, limits);
        const found = await notes.range(query);
        for (const note of found) if (!isReadable(note)) damages.found({ ...note, note: query.space });
        return found;
      },
      async count(space, of) {
        checkPrefix(of, prefix);
        checkKeySize(of, limits);
        return notes.count(space, of);
      },
      async rewrite(space, some) {
        for (const note of some) checkSize(note, noteLimits);
        await notes.rewrite(space, some);
      },
      async remove(space, keys) {
        await notes.remove(space, keys);
        if (damages.some) for (const each of keys) damages.mended(each);
      },
    },
    async compact(to) {
      if (closing.signal.aborted) throw unavailable("the store is closed");
      await compactor.compact(to);
    },
    close: () => (closed ??= close()),
  };
}
