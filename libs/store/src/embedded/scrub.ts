import type { Clock } from "../clock.js";
import type { Damage } from "../damaged-entry.js";
import { isReadable } from "../notes.js";
import { key, revision } from "../revision.js";
import type { EmbeddedDatabase, Snapshot } from "./database.js";
import { damageOf, toKey } from "./entry.js";
import { noteOf } from "./note-record.js";

/** A slice is read in one turn of the event loop. */
const sliceBytes = 128 << 10;
const sliceLines = 500;

export interface FoundDamage extends Damage {
  /** It is what stands at its key now, not only history. */
  readonly present: boolean;
}

export interface ScrubOptions {
  readonly database: Pick<EmbeddedDatabase, "snapshot">;
  readonly signal: AbortSignal;
  /** After each slice of so many bytes. */
  readonly pause: (bytes: number) => Promise<void>;
  /** So many more of them were read. */
  readonly checked: (count: number, what: Checked) => void;
  readonly found: (damage: FoundDamage) => void;
}

/** Changes of the log, present entries, and notes. */
export type Checked = "changes" | "entries" | "notes";

/** Reads every line of the log, then every entry that the index leads to, then the notes; in slices, since nobody waits for it. */
export async function scrubOnce(options: ScrubOptions): Promise<void> {
  let line = 1;
  while (line > 0 && !options.signal.aborted) {
    line = await scrubSlice(options, (snapshot) => logSlice(snapshot, line, options.found));
  }
  let after: Buffer | undefined = firstKey;
  while (after !== undefined && !options.signal.aborted) {
    const from: Buffer = after;
    after = await scrubSlice(options, (snapshot) => indexSlice(snapshot, from, options.found));
  }
  let place: Buffer | undefined = firstKey;
  while (place !== undefined && !options.signal.aborted) {
    const from: Buffer = place;
    place = await scrubSlice(options, (snapshot) => notesSlice(snapshot, from, options.found));
  }
}

interface Slice<Next> {
  readonly next: Next;
  readonly bytes: number;
  readonly count: number;
  readonly what: Checked;
}

async function scrubSlice<Next>(options: ScrubOptions, read: (snapshot: Snapshot) => Slice<Next>): Promise<Next> {
  const snapshot = options.database.snapshot();
  let slice: Slice<Next>;
  try {
    slice = read(snapshot);
  } finally {
    snapshot.release();
  }
  options.checked(slice.count, slice.what);
  await options.pause(slice.bytes);
  return slice.next;
}

/** `next` is 0 at the end. */
function logSlice(snapshot: Snapshot, from: number, found: ScrubOptions["found"]): Slice<number> {
  let bytes = 0;
  let count = 0;
  for (const { revision: at, head, size } of snapshot.heads(from)) {
    if (bytes >= sliceBytes || count >= sliceLines) return { next: at, bytes, count, what: "changes" };
    bytes += size;
    count++;
    if (head.type !== "damaged") continue;
    const { claims } = head;
    // What is the present state of a key is told by the index, which knows of which.
    if (claims !== undefined && snapshot.find(claims)?.revision === at) continue;
    const of = claims === undefined ? key("") : toKey(claims);
    found({ key: of, revision: revision(at), why: head.why, present: false });
  }
  return { next: 0, bytes, count, what: "changes" };
}

const firstKey = Buffer.from([0]);
const lastKey = Buffer.from([0xff]);

/** `next` is undefined at the end. */
function indexSlice(snapshot: Snapshot, from: Buffer, found: ScrubOptions["found"]): Slice<Buffer | undefined> {
  let bytes = 0;
  let count = 0;
  for (const { key: at, place } of snapshot.keys({ start: from, end: lastKey })) {
    if (bytes >= sliceBytes || count >= sliceLines) return { next: Buffer.from(at), bytes, count, what: "entries" };
    const of = { key: at, revision: place.revision };
    const entry = snapshot.entry(of);
    count++;
    if ("why" in entry) found({ ...damageOf(of, entry), present: true });
    else bytes += entry.value.length;
  }
  return { next: undefined, bytes, count, what: "entries" };
}

/** `next` is undefined at the end. */
function notesSlice(snapshot: Snapshot, from: Buffer, found: ScrubOptions["found"]): Slice<Buffer | undefined> {
  let bytes = 0;
  let count = 0;
  for (const { place, note, size } of snapshot.allNotes(from)) {
    if (bytes >= sliceBytes || count >= sliceLines) return { next: Buffer.from(place), bytes, count, what: "notes" };
    bytes += size;
    count++;
    if (isReadable(note)) continue;
    const { key: of, revision: at, why } = note;
    found({ key: of, revision: at, why, present: false, note: noteOf(place)?.space ?? "states" });
  }
  return { next: undefined, bytes, count, what: "notes" };
}

export interface ScrubbingOptions extends Omit<ScrubOptions, "pause" | "found"> {
  readonly clock: Clock;
  /** Between two rounds, in milliseconds. */
  readonly intervalMs: number;
  /** Told at the end of each round. */
  readonly seen: (all: readonly Damage[]) => void;
}

/** Slow enough that nobody notices, fast enough for 30 GiB an hour. */
const bytesPerSecond = 8 << 20;
/** The first round does not wait so long that a server which is often started anew never has one. */
const firstRoundMs = 60_000;
const mostFound = 1000;

/** Scrubs until the signal, a round every `intervalMs`. */
export async function keepScrubbing(options: ScrubbingOptions): Promise<void> {
  const { clock, signal, intervalMs, seen } = options;
  const pause = (bytes: number): Promise<void> => clock.sleep(Math.ceil((bytes * 1000) / bytesPerSecond), signal);
  await clock.sleep(Math.min(firstRoundMs, intervalMs), signal);
  while (!signal.aborted) {
    const all: Damage[] = [];
    const found = (damage: Damage): void => {
      if (all.length < mostFound) all.push(damage);
    };
    await scrubOnce({ ...options, pause, found });
    if (!signal.aborted) seen(all);
    await clock.sleep(intervalMs, signal);
  }
}
