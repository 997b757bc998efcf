import type { NewNote } from "../notes.js";
import type { LogRecord, Place } from "./record.js";

/** A change as the writer takes it. */
export interface Proposal {
  readonly key: string;
  readonly expected: number;
  readonly value: Buffer | undefined;
  readonly note?: NewNote | undefined;
}

/** Changes that are made together or not at all, of keys that differ; nearly always one. */
export type Unit = readonly Proposal[];

export type Verdict =
  /** By the places of the changes. */
  | { readonly done: true; readonly revisions: readonly number[] }
  /** Nothing of it is done: these changes stood in the way, one at least. */
  | { readonly done: false; readonly refused: readonly RefusedProposal[] };

export interface RefusedProposal {
  /** In the unit. */
  readonly at: number;
  /** Where the key stands, which is not at the revision expected; undefined: it does not exist. */
  readonly place: Place | undefined;
}

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
 * Applies a group of units one after the other, each to the state that the ones before it left:
 *
 * ```
 * index {a@3}, revision 7:   [a expects 3] → 8     [a expects 3] → refused, stands at 8     [b expects 0] → 9
 *                            [c expects 0, a expects 3] → refused by a, and c is not made     [c expects 0, a expects 8] → 10, 11
 * ```
 *
 * Deleting what does not exist is refused with nothing in the way (expected > 0) or done without a
 * change (expected 0), as a store that only compares revisions has it.
 */
export function decide(units: readonly Unit[], current: number, find: (key: string) => Place | undefined): Decision {
  const records = new Map<number, LogRecord>();
  const places = new Map<string, Place | undefined>();
  const notes: StoredNote[] = [];
  let revision = current;
  const standing = (key: string): Place | undefined => (places.has(key) ? places.get(key) : find(key));
  const made = ({ key, value, note }: Proposal, place: Place | undefined): number => {
    if (value === undefined && place === undefined) return revision;
    const previous = place?.revision ?? 0;
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
    return revision;
  };
  const single = (proposal: Proposal): Verdict => {
    const place = standing(proposal.key);
    if ((place?.revision ?? 0) !== proposal.expected) return { done: false, refused: [{ at: 0, place }] };
    return { done: true, revisions: [made(proposal, place)] };
  };
  const verdicts = units.map((unit): Verdict => {
    const [first] = unit;
    // Nearly always: the same as below, without its lists.
    if (first !== undefined && unit.length === 1) return single(first);
    const stand = unit.map(({ key }) => standing(key));
    const refused = unit.flatMap(({ expected }, at): readonly RefusedProposal[] => {
      const place = stand[at];
      return (place?.revision ?? 0) === expected ? [] : [{ at, place }];
    });
    if (refused.length > 0) return { done: false, refused };
    return { done: true, revisions: unit.map((proposal, at) => made(proposal, stand[at])) };
  });
  return { verdicts, revision, records, places, notes };
}
