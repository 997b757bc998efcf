import { type FileHandle, open } from "node:fs/promises";
import { readCursor, writeCursor } from "./cursor-file.js";
import type { Recent } from "./recent.js";
import { readRecords, type Segment } from "./segments.js";

/** Who takes records from a spool, one after the other, and whose place outlives the process. */
export interface SpoolReader {
  /** The number of the record that it reads next. */
  readonly next: number;
  /** How many records have come that it has not taken. */
  readonly waiting: number;
  /** The records from `next` on, at most so many; none where there are none yet. They stay its next ones until `advance`. */
  read(most: number): Promise<ReadBatch>;
  /** It has done with the records up to this number; that is kept a moment later. */
  advance(next: number): void;
  /** Settles when there is a record of a higher number than `than`, or with the signal. */
  more(than: number, signal: AbortSignal): Promise<void>;
}

export interface ReadBatch {
  readonly records: readonly Buffer[];
  /** The number after the last of them. */
  readonly next: number;
  /** Records that it would have read before, and that are gone. */
  readonly lost: number;
}

export interface WakingReader extends SpoolReader {
  /** There are further records. */
  wake(): void;
  close(): Promise<void>;
}

/** What a reader sees of its spool. */
export interface ReaderDeps {
  readonly folder: string;
  readonly segments: readonly Segment[];
  readonly recent: Recent;
  readonly warn: (what: string, error: unknown) => void;
  readonly saveEveryMs: number;
  /** Removes what no reader needs. */
  readonly dropRead: () => Promise<void>;
  /** The number of the first record that is there, and of the one after the last. */
  readonly first: () => number;
  readonly end: () => number;
}

interface Place {
  readonly segment: Segment;
  readonly file: FileHandle;
  /** A record, and where it begins in the file. */
  number: number;
  at: number;
}

export async function openReader(name: string, deps: ReaderDeps): Promise<WakingReader> {
  const { folder, segments, recent, warn, first, end } = deps;
  let next = Math.min((await readCursor(folder, name)) ?? first(), end());
  let saved = next;
  let saving: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let wakers: { readonly than: number; readonly run: () => void }[] = [];
  let place: Place | undefined;

  async function keep(): Promise<void> {
    if (saved === next) return;
    const to = next;
    try {
      await writeCursor(folder, name, to);
      saved = to;
      await deps.dropRead();
    } catch (error) {
      warn("how far a reader of the spool has come could not be kept", error);
    }
  }

  const save = (): Promise<void> => {
    saving = saving.then(keep);
    return saving;
  };

  async function leavePlace(): Promise<void> {
    const { file } = place ?? {};
    place = undefined;
    await file?.close();
  }

  async function placeOf(number: number): Promise<Place | undefined> {
    const segment = segments.findLast((one) => one.first <= number);
    if (segment === undefined) return undefined;
    if (place === undefined || place.segment !== segment || place.number > number) {
      await leavePlace();
      place = { segment, file: await open(segment.path, "r"), number: segment.first, at: 0 };
    }
    while (place.number < number) {
      const most = number - place.number;
      const { records, at } = await readRecords(place.file, { at: place.at, size: segment.size, most });
      if (records.length === 0) return undefined;
      place.number += records.length;
      place.at = at;
    }
    return place;
  }

  /** What cannot be read in a segment is lost with all that follows there. */
  const skipSegment = (number: number): ReadBatch => {
    const after = segments.find((one) => one.first > number)?.first ?? end();
    return { records: [], next: after, lost: after - number };
  };

  async function readFrom(number: number, most: number): Promise<ReadBatch> {
    const near = recent.from(number, most);
    if (near !== undefined) return { records: near, next: number + near.length, lost: 0 };
    try {
      const found = await placeOf(number);
      if (found === undefined) return skipSegment(number);
      const { file, at, segment } = found;
      const { records } = await readRecords(file, { at, size: segment.size, most: Math.min(most, end() - number) });
      if (records.length === 0) return skipSegment(number);
      return { records, next: number + records.length, lost: 0 };
    } catch (error) {
      await leavePlace().catch(() => {});
      warn("a segment of the spool cannot be read", error);
      return skipSegment(number);
    }
  }

  return {
    get next() {
      return next;
    },
    get waiting() {
      return end() - next;
    },
    async read(most) {
      const start = first();
      if (next < start) {
        const batch = await readFrom(start, most);
        return { ...batch, lost: batch.lost + start - next };
      }
      return next >= end() ? { records: [], next, lost: 0 } : readFrom(next, most);
    },
    advance(to) {
      next = Math.max(next, to);
      timer ??= setTimeout(() => {
        timer = undefined;
        void save();
      }, deps.saveEveryMs).unref();
    },
    more(than, signal) {
      if (end() > than || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const done = (): void => {
          signal.removeEventListener("abort", done);
          wakers = wakers.filter((waker) => waker.run !== done);
          resolve();
        };
        wakers.push({ than, run: done });
        signal.addEventListener("abort", done);
      });
    },
    wake() {
      for (const { than, run } of wakers) if (end() > than) run();
    },
    async close() {
      clearTimeout(timer);
      await save();
      await leavePlace();
    },
  };
}
