import { ApiError, insufficientStorage, unavailable } from "@orch/status/api-error.js";
import { DamagedEntry } from "../damaged-entry.js";
import { ownCopy } from "../own-memory.js";
import { revision } from "../revision.js";
import type { Change, Entry, Refused, Swap, Transaction } from "../store.js";
import { bytesOfChange } from "../transactions.js";
import type { Damages } from "./damages.js";
import type { EmbeddedDatabase, Snapshot } from "./database.js";
import { type Decision, decide, type Verdict } from "./decide.js";
import { entryAt, toEntry } from "./entry.js";
import type { Room } from "./room.js";

/** Of a swap one change. */
interface Waiting {
  readonly changes: readonly Change[];
  /** Of values and notes. */
  readonly bytes: number;
  readonly resolve: (transaction: Transaction) => void;
  readonly reject: (error: unknown) => void;
}

export interface Writer {
  swap(change: Change): Promise<Swap>;
  /** Changes of keys that differ, all of them or none. */
  commit(changes: readonly Change[]): Promise<Transaction>;
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

  const enter = (one: Waiting): void => {
    if (closed) {
      one.reject(unavailable("the store is closed"));
      return;
    }
    waiting.push(one);
    running ??= run();
  };
  return {
    swap: (change) =>
      new Promise((resolve, reject) =>
        enter({
          changes: [change],
          bytes: bytesOfChange(change),
          resolve: (transaction) => resolve(swapOf(transaction)),
          reject,
        }),
      ),
    commit: (changes) =>
      new Promise((resolve, reject) => {
        const bytes = changes.reduce((sum, change) => sum + bytesOfChange(change), 0);
        enter({ changes, bytes, resolve, reject });
      }),
    async close() {
      closed = true;
      await running;
    },
  };
}

/** What came as one transaction stays together, and a large one is a commit of its own: want of room for it is nobody else's. */
function takeGroup(waiting: Waiting[], maxBytes: number): readonly Waiting[] {
  let bytes = 0;
  let size = 0;
  let changes = 0;
  for (const one of waiting) {
    bytes += one.bytes;
    changes += one.changes.length;
    if (size > 0 && (changes > maxGroup || bytes > maxBytes || isLargeTransaction(one))) break;
    size++;
    if (isLargeTransaction(one)) break;
  }
  return waiting.splice(0, size);
}

const largeTransaction = 256 << 10;
const isLargeTransaction = ({ changes, bytes }: Waiting): boolean => changes.length > 1 && bytes > largeTransaction;

const isGone = ({ value }: Change): boolean => value === undefined;
const isDeletion = ({ changes }: Waiting): boolean => changes.every(isGone);
const isEssential = ({ changes }: Waiting): boolean =>
  changes.every((change) => change.essential === true || isGone(change));

/** A commit writes anew the way to each leaf that it changes, of three trees; the next but one gets those pages back. */
const commitBytes = 64 << 10;
const changeBytes = 4 << 10;

/** About the most that a commit takes. */
function bytesOf(group: readonly Waiting[]): number {
  return group.reduce((sum, { changes, bytes }) => sum + changes.length * changeBytes + 1.25 * bytes, commitBytes);
}

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
  const essential = only(group, isEssential).map(withoutNotes);
  if (essential.length === 0 || (await room.admitEssential(bytesOf(essential)))) return essential;
  const deletions = only(essential, isDeletion);
  room.take(bytesOf(deletions));
  return deletions;
}

/** What room there is is for changes alone. */
function withoutNotes(one: Waiting): Waiting {
  const changes = one.changes.map((change) => ({ ...change, note: undefined }));
  return { ...one, changes, bytes: changes.reduce((sum, change) => sum + bytesOfChange(change), 0) };
}

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
      group.map(({ changes }) => changes),
      snapshot.revision,
      (key) => snapshot.find(Buffer.from(key)),
    );
    // Answered before the commit, from the snapshot it is based on; told only after it.
    const answers = decision.verdicts.map((verdict, i) =>
      toTransaction(verdict, { of: group[i]?.changes ?? [], decision, snapshot }),
    );
    if (decision.revision > snapshot.revision) {
      const { revision: at, records, places, notes } = decision;
      await database.commit({ revision: at, records, places, notes });
      committed(decision);
    }
    for (const [i, { changes, resolve, reject }] of group.entries()) {
      const answer = answers[i];
      if (answer === undefined) continue;
      if (answer instanceof DamagedEntry) {
        damages.found({ key: answer.key, revision: answer.revision, why: answer.why });
        reject(answer);
        continue;
      }
      if (answer.done && damages.some) for (const { key } of changes) damages.mended(key);
      resolve(answer);
    }
  } catch (error) {
    const isFull = error instanceof ApiError && error.reason === "InsufficientStorage";
    if (isFull) room.exhausted();
    if (isFull && !group.every(isEssential)) {
      await commitGroup(deps, only(group, isEssential, error.cause).map(withoutNotes));
      return;
    }
    for (const { reject } of group) reject(error);
  } finally {
    snapshot.release();
  }
}

interface Standing {
  readonly of: readonly Change[];
  readonly decision: Decision;
  readonly snapshot: Snapshot;
}

/** What stands in the way and cannot be read is the trouble of who asked for that key, and of nobody else in the group. */
function toTransaction(verdict: Verdict, { of, decision, snapshot }: Standing): Transaction | DamagedEntry {
  if (verdict.done) return { done: true, revisions: verdict.revisions.map(revision) };
  try {
    const refused = verdict.refused.map(({ at, place }): Refused => {
      if (place === undefined) return { at };
      return { at, current: current(of[at]?.key ?? "", place.revision, { decision, snapshot }) };
    });
    return { done: false, refused };
  } catch (error) {
    if (error instanceof DamagedEntry) return error;
    throw error;
  }
}

/** Of a transaction of one change. */
function swapOf(transaction: Transaction): Swap {
  const [first] = transaction.done ? transaction.revisions : [];
  if (first !== undefined) return { done: true, revision: first };
  const current = transaction.done ? undefined : transaction.refused[0]?.current;
  return current === undefined ? { done: false } : { done: false, current };
}

function current(of: string, at: number, { decision, snapshot }: Pick<Standing, "decision" | "snapshot">): Entry {
  const inGroup = decision.records.get(at);
  if (inGroup === undefined) return entryAt(snapshot, { key: Buffer.from(of), revision: at });
  // The value belongs to another caller of this group: give away a copy.
  return toEntry(at, { ...inGroup, value: ownCopy(inGroup.value) });
}
