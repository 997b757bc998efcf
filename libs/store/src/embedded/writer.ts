import { ApiError, insufficientStorage, unavailable } from "@orch/status/api-error.js";
import { DamagedEntry } from "../damaged-entry.js";
import { ownCopy } from "../own-memory.js";
import { revision } from "../revision.js";
import type { Change, Entry, Swap } from "../store.js";
import type { Damages } from "./damages.js";
import type { EmbeddedDatabase, Snapshot } from "./database.js";
import { type Decision, decide, type Verdict } from "./decide.js";
import { entryAt, toEntry } from "./entry.js";
import type { Room } from "./room.js";

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

export interface WriterDeps {
  readonly database: EmbeddedDatabase;
  readonly room: Pick<Room, "admit" | "admitEssential" | "take" | "exhausted" | "full">;
  readonly damages: Pick<Damages, "found" | "mended" | "some">;
  readonly committed: (decision: Pick<Decision, "revision" | "records">) => void;
}

/** One commit takes what arrived while the one before it was flushed, but no more than this. */
const maxGroup = 2048;
const maxGroupBytes = 16 << 20;
/** What lives on the reserve does so in small commits. */
const maxGroupBytesWhenFull = 512 << 10;

/**
 * Group commit: however many swaps wait, one transaction and one flush serve them all. Decisions are
 * taken in the main thread against the durable state plus the earlier swaps of the group; this is the
 * same as inside the write transaction because there is only this writer and one group at a time.
 */
export function createWriter(deps: WriterDeps): Writer {
  const waiting: Waiting[] = [];
  let running: Promise<void> | undefined;
  let closed = false;

  async function run(): Promise<void> {
    await Promise.resolve(); // swaps of the same tick share the first commit
    while (waiting.length > 0) {
      const group = takeGroup(waiting, deps.room.full ? maxGroupBytesWhenFull : maxGroupBytes);
      const admitted = admit(deps.room, group);
      await commitGroup(deps, admitted instanceof Promise ? await admitted : admitted);
    }
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

function takeGroup(waiting: Waiting[], maxBytes: number): readonly Waiting[] {
  let bytes = 0;
  let size = 0;
  for (const { change } of waiting) {
    bytes += valueBytes(change);
    if (size === maxGroup || (size > 0 && bytes > maxBytes)) break;
    size++;
  }
  return waiting.splice(0, size);
}

const isDeletion = ({ change }: Waiting): boolean => change.value === undefined;
const isEssential = (one: Waiting): boolean => one.change.essential === true || isDeletion(one);

/** A commit writes anew the way to each leaf that it changes, of three trees; the next but one gets those pages back. */
const commitBytes = 64 << 10;
const changeBytes = 4 << 10;

/** About the most that a commit takes. */
function bytesOf(group: readonly Waiting[]): number {
  return group.reduce((sum, { change }) => sum + changeBytes + 1.25 * valueBytes(change), commitBytes);
}

const valueBytes = ({ value, note }: Change): number => (value?.length ?? 0) + (note?.value.length ?? 0);

type Group = readonly Waiting[];

/** What there is room for; the rest is told so. */
function admit(room: WriterDeps["room"], group: Group): Group | Promise<Group> {
  const admitted = room.admit(bytesOf(group));
  if (admitted === true) return group;
  return admitted === false
    ? admitEssential(room, group)
    : admitted.then((ok) => (ok ? group : admitEssential(room, group)));
}

async function admitEssential(room: WriterDeps["room"], group: Group): Promise<Group> {
  const essential = only(group, isEssential).map(withoutNote);
  if (essential.length === 0 || (await room.admitEssential(bytesOf(essential)))) return essential;
  const deletions = only(essential, isDeletion);
  room.take(bytesOf(deletions));
  return deletions;
}

/** What room there is is for changes alone. */
const withoutNote = (one: Waiting): Waiting => ({ ...one, change: { ...one.change, note: undefined } });

/** Refuses the others. */
function only(group: Group, stays: (one: Waiting) => boolean, cause?: unknown): Group {
  for (const one of group) if (!stays(one)) one.reject(insufficientStorage(cause));
  return group.filter(stays);
}

async function commitGroup(deps: WriterDeps, group: readonly Waiting[]): Promise<void> {
  const { database, room, damages, committed } = deps;
  if (group.length === 0) return;
  const snapshot = database.snapshot();
  try {
    const decision = decide(
      group.map(({ change }) => change),
      snapshot.revision,
      (key) => snapshot.find(Buffer.from(key)),
    );
    // Answered before the commit, from the snapshot it is based on; told only after it.
    const swaps = decision.verdicts.map((verdict, i) =>
      toSwap(verdict, { of: group[i]?.change.key, decision, snapshot }),
    );
    if (decision.revision > snapshot.revision) {
      const { revision: at, records, places, notes } = decision;
      await database.commit({ revision: at, records, places, notes });
      committed(decision);
    }
    for (const [i, { resolve, reject }] of group.entries()) {
      const swap = swaps[i];
      if (swap === undefined) continue;
      if (swap instanceof DamagedEntry) {
        damages.found({ key: swap.key, revision: swap.revision, why: swap.why });
        reject(swap);
        continue;
      }
      if (swap.done && damages.some) damages.mended(group[i]?.change.key);
      resolve(swap);
    }
  } catch (error) {
    const isFull = error instanceof ApiError && error.reason === "InsufficientStorage";
    if (isFull) room.exhausted();
    if (isFull && !group.every(isEssential)) {
      await commitGroup(deps, only(group, isEssential, error.cause).map(withoutNote));
      return;
    }
    for (const { reject } of group) reject(error);
  } finally {
    snapshot.release();
  }
}

interface Standing {
  readonly of: string | undefined;
  readonly decision: Decision;
  readonly snapshot: Snapshot;
}

/** What stands in the way and cannot be read is the trouble of who asked for that key, and of nobody else in the group. */
function toSwap(verdict: Verdict, { of = "", decision, snapshot }: Standing): Swap | DamagedEntry {
  if (verdict.done) return { done: true, revision: revision(verdict.revision) };
  if (verdict.place === undefined) return { done: false };
  try {
    return { done: false, current: current(of, verdict.place.revision, { decision, snapshot }) };
  } catch (error) {
    if (error instanceof DamagedEntry) return error;
    throw error;
  }
}

function current(of: string, at: number, { decision, snapshot }: Pick<Standing, "decision" | "snapshot">): Entry {
  const inGroup = decision.records.get(at);
  if (inGroup === undefined) return entryAt(snapshot, { key: Buffer.from(of), revision: at });
  // The value belongs to another caller of this group: give away a copy.
  return toEntry(at, { ...inGroup, value: ownCopy(inGroup.value) });
}
