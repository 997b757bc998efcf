import { setTimeout as delay } from "node:timers/promises";
import { ApiError, outcomeUnknown } from "@orch/status/api-error.js";
import { type Revision, revision } from "../revision.js";
import type { Change, Entry, Swap } from "../store.js";
import type { Calls } from "./calls.js";
import { read, revisionOf } from "./range.js";
import { toEntry } from "./values.js";

/**
 * What became of a transaction T ("if the key stands at revision E, write V") whose answer was lost.
 * T may have been executed, refused, or may still be on its way: in a member's queue, in the raft log.
 * No read can tell the last case from "never", and a dead connection is no proof either, since the
 * member may have proposed T before it died. So T is never sent again; linearizable reads look for
 * proof, and without it the answer is outcomeUnknown. What the reads prove:
 *
 * Update (E > 0, put). Revisions are never reused, so as soon as the key has left E, T is decided. The
 * state right after E, at the first revision x > E that changed the key, shows how:
 *   1. it holds V, bytewise                     → T was executed, at x. (Values hold a unique id of their
 *      object and their writer's stamps. If another wrote the very same bytes from the same E, the
 *      two writes have one effect, and both being told "done at x" is true of the state.)
 *   2. it holds something else, or is deleted   → another change left E; T was refused and can never
 *      be executed: a real conflict.
 * x is found by halving (E, now]: "the key still stands at E" is true up to x-1 and false from x on.
 * Mostly x is the key's present revision and one read more decides.
 *
 * Delete (E > 0): case 2 as above when x holds a value. When x is a deletion it may be ours or
 * another's: unknown.
 *
 * Create (E = 0). "Absent" comes back after a deletion, so another's value is no proof against T.
 *   3. the key's first value since it exists is V → T was executed, at that revision (unique ids again).
 *   4. anything else → unknown.
 *
 * The key still at E (or absent, for a create) → T may still come: look again for a while, then unknown.
 */
export async function resolveLost(calls: Calls, change: Change, cause: unknown): Promise<Swap> {
  try {
    for (const pauseMs of pausesMs) {
      await delay(pauseMs);
      const swap = await look(calls, change);
      if (swap !== undefined) return swap;
    }
  } catch (error) {
    // The reads failed too, or history was compacted under them: nothing is proven.
    throw outcomeUnknown(error instanceof ApiError ? cause : error);
  }
  throw outcomeUnknown(cause);
}

const pausesMs = [0, 50, 200, 500, 1000];

/** A state of the key: its entry, undefined when absent, and the revision of the reading. */
interface State {
  readonly entry: Entry | undefined;
  readonly at: number;
}

async function stateAt(calls: Calls, change: Change, at: number): Promise<State> {
  const response = await read(calls, { key: Buffer.from(change.key), revision: at });
  const kv = response.kvs?.[0];
  return { entry: kv === undefined ? undefined : toEntry(kv), at: at === 0 ? revisionOf(response) : at };
}

const holds = (entry: Entry | undefined, value: Buffer): entry is Entry => entry?.value.equals(value) === true;

/** The proof that the present state gives; undefined when there is none yet. Throws outcomeUnknown when there will be none. */
async function look(calls: Calls, change: Change): Promise<Swap | undefined> {
  const now = await stateAt(calls, change, 0);
  if ((now.entry?.revision ?? 0) === change.expected) return undefined;
  if (change.expected === 0) return resolveCreate(calls, change, now);
  const left = await leftExpected(calls, change, now);
  if (left.entry === undefined) {
    if (change.value === undefined) throw outcomeUnknown();
    return refused(now);
  }
  const isNewer = left.entry.revision > change.expected;
  if (isNewer && change.value !== undefined && holds(left.entry, change.value)) return done(left.entry.revision);
  return refused(now);
}

async function resolveCreate(calls: Calls, { key: name, value }: Change, now: State): Promise<Swap> {
  if (now.entry === undefined || value === undefined) throw outcomeUnknown();
  const { created } = now.entry;
  const first =
    created === now.entry.revision ? now : await stateAt(calls, { key: name, expected: revision(0), value }, created);
  if (holds(first.entry, value)) return done(created);
  throw outcomeUnknown();
}

/** The key's state right after it left the expected revision. */
async function leftExpected(calls: Calls, change: Change, now: State): Promise<State> {
  const standsAt = (state: State): boolean => state.entry?.revision === change.expected;
  if (now.entry !== undefined) {
    // A revision below the key's present one shows what it replaced.
    const before = await stateAt(calls, change, now.entry.revision - 1);
    if (standsAt(before)) return now;
  }
  let low: number = change.expected;
  let high = now;
  while (high.at - low > 1) {
    const middle = await stateAt(calls, change, low + Math.floor((high.at - low) / 2));
    if (standsAt(middle)) low = middle.at;
    else high = middle;
  }
  return high;
}

const done = (at: Revision): Swap => ({ done: true, revision: at });

function refused({ entry }: State): Swap {
  return entry === undefined ? { done: false } : { done: false, current: entry };
}
