import type { NewNote } from "../notes.js";
import type { LogRecord, Place } from "./record.js";

/** A change as the writer takes it. */
export interface Proposal {
  readonly key: string;
  readonly expected: number;
  readonly value: Buffer | undefined;
  readonly note?: NewNote | undefined;
}

export type Verdict =
  | { readonly done: true; readonly revision: number }
  /** The key stands at `place`, not at the revision expected; undefined: it does not exist. */
  | { readonly done: false; readonly place: Place | undefined };

export interface Decision {
  readonly verdicts: readonly Verdict[];
  readonly revision: number;
  readonly records: ReadonlyMap<number, LogRecord>;
  readonly places: ReadonlyMap<string, Place | undefined>;
  readonly notes: readonly StoredNote[];
}

/** A note of a change that was done. */
export interface StoredNote extends NewNote {
  readonly revision: number;
}

/**
 * Applies a group of changes one after the other, each to the state that the ones before it left:
 *
 * ```
 * index {a@3}, revision 7:   a expects 3 → 8     a expects 3 → refused, stands at 8     b expects 0 → 9
 * ```
 *
 * Deleting what does not exist is refused with nothing in the way (expected > 0) or done without a
 * change (expected 0), as a store that only compares revisions has it.
 */
export function decide(
  proposals: readonly Proposal[],
  current: number,
  find: (key: string) => Place | undefined,
): Decision {
  const records = new Map<number, LogRecord>();
  const places = new Map<string, Place | undefined>();
  const notes: StoredNote[] = [];
  let revision = current;
  const verdicts = proposals.map(({ key, expected, value, note }): Verdict => {
    const place = places.has(key) ? places.get(key) : find(key);
    const previous = place?.revision ?? 0;
    if (previous !== expected) return { done: false, place };
    if (value === undefined && place === undefined) return { done: true, revision };
    revision++;
    if (note !== undefined) notes.push({ ...note, revision });
    const created = place?.created ?? revision;
    const bytes = Buffer.from(key);
    if (value === undefined) {
      records.set(revision, { type: "delete", created, previous, key: bytes, value: Buffer.alloc(0) });
      places.set(key, undefined);
    } else {
      records.set(revision, { type: "put", created, previous, key: bytes, value });
      places.set(key, { revision, created });
    }
    return { done: true, revision };
  });
  return { verdicts, revision, records, places, notes };
}
