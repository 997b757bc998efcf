import { type FileHandle, open } from "node:fs/promises";
import { messageOf } from "@orch/status/message-of.js";
import { lockFolder } from "./folder-lock.js";
import { frame } from "./frames.js";
import { openReader, type SpoolReader, type WakingReader } from "./reader.js";
import { createRecent } from "./recent.js";
import { findSegments, removeSegment, type Segment, scan, segmentPath } from "./segments.js";

/**
 * Records on disk, in order, until each of their readers has had them. They are numbered from 0 on and lie in segments:
 *
 *   0…0.segment [0 1 2]   0…3.segment [3 4 5]   0…6.segment [6 7     a reader at 4, another at 7
 *
 * The first segment is removed, because nobody reads it any more. Where there is no room, the oldest is removed although
 * somebody would, who is told how many records he has lost.
 */
export interface Spool {
  /**
   * Writes records behind those that are there; settles when they would survive the end of this process, with `sync` that
   * of the machine. Calls of one moment are written at once. @throws SpoolError where they could not be written
   */
  append(records: readonly Buffer[], options: AppendOptions): Promise<Appended>;
  reader(name: string): Promise<SpoolReader>;
  /** Bytes on disk. */
  readonly bytes: number;
  /** The number of the next record. */
  readonly end: number;
  /** Waits for what is being written. */
  close(): Promise<void>;
}

export interface AppendOptions {
  readonly sync: boolean;
  /** Fails rather than make room by what somebody has not read yet. */
  readonly keepUnread: boolean;
}

export interface Appended {
  /** The number of the record after the last of these. */
  readonly next: number;
}

export class SpoolError extends Error {}

export interface SpoolOptions {
  readonly folder: string;
  readonly maxBytes: number;
  readonly pid: number;
  /** Told of what goes wrong besides a call. */
  readonly warn: (what: string, error: unknown) => void;
  /** Milliseconds between two savings of how far readers have come. */
  readonly saveEveryMs?: number;
}

interface Waiting {
  readonly records: readonly Buffer[];
  readonly options: AppendOptions;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: SpoolError) => void;
}

const largestSegment = 16 * 1024 * 1024;
/** The bound is kept to an eighth. */
const segmentsAtLeast = 8;
const defaultSaveMs = 100;

export async function openSpool(options: SpoolOptions): Promise<Spool> {
  const { folder, maxBytes, warn, saveEveryMs = defaultSaveMs } = options;
  const unlock = await lockFolder(folder, options.pid);
  const segmentBytes = Math.max(4096, Math.min(largestSegment, Math.floor(maxBytes / segmentsAtLeast)));
  const segments: Segment[] = [...(await findSegments(folder))];
  let end = await cutTail(segments);
  let tail: FileHandle | undefined;
  let closed = false;
  const readers = new Map<string, WakingReader>();
  const recent = createRecent(end);

  const total = (): number => segments.reduce((sum, { size }) => sum + size, 0);
  const first = (): number => segments[0]?.first ?? end;

  async function beginSegment(): Promise<FileHandle> {
    await tail?.close();
    tail = undefined;
    const segment: Segment = { path: segmentPath(folder, end), first: end, size: 0 };
    tail = await open(segment.path, "a", 0o600);
    await tail.truncate(0);
    if (segments.at(-1)?.first === end) segments.pop();
    segments.push(segment);
    return tail;
  }

  /** The oldest segment goes, unless it is the only one and new. */
  async function dropOldest(): Promise<boolean> {
    const [oldest] = segments;
    if (oldest === undefined || oldest.size === 0) return false;
    if (segments.length === 1) await beginSegment();
    segments.shift();
    await removeSegment(oldest);
    return true;
  }

  const isUnread = (segment: Segment | undefined): boolean =>
    segment !== undefined && [...readers.values()].some((reader) => reader.next < (segments[1]?.first ?? end));

  async function makeRoom(bytes: number, keepUnread: boolean): Promise<void> {
    while (total() + bytes > maxBytes) {
      if (keepUnread && isUnread(segments[0])) throw new SpoolError(`the spool is full: ${maxBytes} bytes wait`);
      if (!(await dropOldest())) throw new SpoolError(`${bytes} bytes are more than the spool holds`);
    }
  }

  async function write(batch: readonly Waiting[]): Promise<void> {
    const records = batch.flatMap((one) => one.records);
    const bytes = frame(records);
    await makeRoom(
      bytes.length,
      batch.some(({ options: { keepUnread } }) => keepUnread),
    );
    const last = segments.at(-1);
    const isFull = last === undefined || (last.size > 0 && last.size + bytes.length > segmentBytes);
    if (tail === undefined || isFull) await beginSegment();
    const segment = segments.at(-1);
    if (tail === undefined || segment === undefined) throw new SpoolError("no segment");
    await writeWhole(tail, bytes);
    if (batch.some(({ options: { sync } }) => sync)) await tail.datasync();
    segment.size += bytes.length;
    let next = end;
    end += records.length;
    recent.add(bytes, records.length);
    for (const { records: own, resolve } of batch) {
      next += own.length;
      resolve({ next });
    }
    for (const reader of readers.values()) reader.wake();
  }

  /** What was written in part is no record: the next ones go to a segment of their own. */
  async function abandonTail(): Promise<void> {
    const broken = tail;
    tail = undefined;
    const segment = segments.at(-1);
    await broken?.truncate(segment?.size ?? 0).catch(() => {});
    await broken?.close().catch(() => {});
  }

  /** A disk without room gets it by the oldest records, as a bound that is reached does. */
  async function writeOrMakeRoom(batch: readonly Waiting[]): Promise<void> {
    const mustKeep = batch.some(({ options: { keepUnread } }) => keepUnread);
    for (;;) {
      try {
        return await write(batch);
      } catch (error) {
        if (error instanceof SpoolError) throw error;
        await abandonTail();
        if (!isNoSpace(error) || (mustKeep && isUnread(segments[0]))) throw error;
        if (segments.length < 2 || !(await dropOldest())) throw error;
      }
    }
  }

  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await writeOrMakeRoom(batch);
      } catch (error) {
        for (const { reject } of batch)
          reject(error instanceof SpoolError ? error : new SpoolError(messageOf(error), { cause: error }));
      }
    }
    writing = undefined;
  }

  async function dropRead(): Promise<void> {
    if (readers.size === 0) return;
    const needed = Math.min(...[...readers.values()].map(({ next }) => next));
    while ((segments[1]?.first ?? Number.POSITIVE_INFINITY) <= needed) {
      const [oldest] = segments.splice(0, 1);
      if (oldest !== undefined) await removeSegment(oldest);
    }
  }

  return {
    append(records, appendOptions) {
      if (closed) return Promise.reject(new SpoolError("the spool is closed"));
      if (records.length === 0) return Promise.resolve({ next: end });
      return new Promise((resolve, reject) => {
        waiting.push({ records, options: appendOptions, resolve, reject });
        writing ??= writeAll();
      });
    },
    async reader(name) {
      const known = readers.get(name);
      if (known !== undefined) return known;
      const reader = await openReader(name, {
        folder,
        segments,
        recent,
        warn,
        saveEveryMs,
        dropRead,
        first,
        end: () => end,
      });
      readers.set(name, reader);
      return reader;
    },
    get bytes() {
      return total();
    },
    get end() {
      return end;
    },
    async close() {
      closed = true;
      await writing;
      for (const reader of readers.values()) await reader.close();
      await tail?.close();
      tail = undefined;
      await unlock();
    },
  };
}

/** Cuts off what a power failure has left in part; gives the number of the next record. */
async function cutTail(segments: readonly Segment[]): Promise<number> {
  const last = segments.at(-1);
  if (last === undefined) return 0;
  const { count, end } = await scan(last.path, last.size);
  if (end < last.size) {
    const file = await open(last.path, "r+");
    try {
      await file.truncate(end);
    } finally {
      await file.close();
    }
    last.size = end;
  }
  return last.first + count;
}

async function writeWhole(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at);
    at += bytesWritten;
  }
}

function isNoSpace(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}
