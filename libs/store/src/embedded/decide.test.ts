import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Key, key } from "../revision.js";
import { decide, type Proposal, type Unit } from "./decide.js";
import type { Place } from "./record.js";

/** A change whose `expected` is guessed when it is its turn: of the state that the model has then, or not. */
interface Guess {
  readonly key: string;
  readonly right: boolean;
  readonly remove: boolean;
  readonly noted: boolean;
}

const guess: fc.Arbitrary<Guess> = fc.record({
  key: fc.constantFrom("a", "b", "c", "d", "e"),
  right: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
  remove: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
  noted: fc.boolean(),
});
const unit = fc.uniqueArray(guess, { selector: (one) => one.key, minLength: 1, maxLength: 5 });
const start = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.integer({ min: 1, max: 9 }), { noNullPrototype: true });

interface Modelled {
  readonly units: readonly Unit[];
  /** Of those that are done, one after the other. */
  readonly made: readonly Proposal[];
  readonly done: readonly boolean[];
  /** By key, 0 for none. */
  readonly standing: ReadonlyMap<string, number>;
  readonly revision: number;
}

const first = 9;

/** The same with a map and nothing else: a unit is tried on a copy. */
function modelled(begin: Readonly<Record<string, number>>, guesses: readonly (readonly Guess[])[]): Modelled {
  let standing = new Map(Object.entries(begin));
  let revision = first;
  const made: Proposal[] = [];
  const done: boolean[] = [];
  const units = guesses.map((all): Unit => {
    const copy = new Map(standing);
    let at = revision;
    const proposals = all.map((one, i): Proposal => {
      const now = copy.get(one.key) ?? 0;
      const note = { space: "states" as const, key: noteKey(one.key, i), value: Buffer.from("n") };
      return {
        ...{ key: one.key, expected: one.right ? now : now + 100 },
        value: one.remove ? undefined : Buffer.from(`${one.key}${at}`),
        ...(one.noted ? { note } : {}),
      };
    });
    for (const [i, one] of all.entries()) {
      if (!one.right) continue;
      const isChange = !one.remove || (copy.get(one.key) ?? 0) > 0;
      if (isChange) at++;
      if (one.remove) copy.delete(one.key);
      else copy.set(one.key, at);
      assert.equal(proposals[i]?.key, one.key);
    }
    const isDone = all.every((one) => one.right);
    done.push(isDone);
    if (isDone) {
      standing = copy;
      revision = at;
      made.push(...proposals);
    }
    return proposals;
  });
  return { units, made, done, standing, revision };
}

const noteKey = (of: string, i: number): Key => key(`${of}/${i}`);

test("a unit is done whole or leaves no trace, whatever stands around it", () => {
  fc.assert(
    fc.property(start, fc.array(unit, { maxLength: 12 }), (begin, guesses) => {
      const find = (at: string): Place | undefined => {
        const revision = begin[at];
        return revision === undefined ? undefined : { revision, created: revision };
      };
      const model = modelled(begin, guesses);
      const decision = decide(model.units, first, find);
      assert.deepEqual(
        decision.verdicts.map((verdict) => verdict.done),
        model.done,
      );
      assert.equal(decision.revision, model.revision);
      for (const [at, place] of decision.places) assert.equal(place?.revision ?? 0, model.standing.get(at) ?? 0, at);
      assert.deepEqual(
        [...decision.records.keys()],
        Array.from({ length: model.revision - first }, (_, i) => first + 1 + i),
      );
      // The same as what was made of it, change by change.
      const singly = decide(
        model.made.map((proposal) => [proposal]),
        first,
        find,
      );
      assert.deepEqual(decision.records, singly.records);
      assert.deepEqual(decision.places, singly.places);
      assert.deepEqual(decision.notes, singly.notes);
      const revisions = decision.verdicts.flatMap((verdict) => (verdict.done ? verdict.revisions : []));
      assert.deepEqual(
        revisions,
        singly.verdicts.flatMap((verdict) => (verdict.done ? verdict.revisions : [])),
      );
    }),
    { numRuns: 500 },
  );
});

test("a refused unit tells each change that stood in the way, and where its key stands", () => {
  const places = new Map<string, Place>([["a", { revision: 3, created: 2 }]]);
  const change = (of: string, expected: number): Proposal => ({ key: of, expected, value: Buffer.from("x") });
  const units = [
    [change("b", 0)],
    [change("c", 0), change("a", 1), change("b", 0), change("d", 5)],
    [change("c", 0), change("a", 3)],
  ];
  const { verdicts, revision } = decide(units, 7, (at) => places.get(at));
  assert.deepEqual(verdicts, [
    { done: true, revisions: [8] },
    {
      done: false,
      refused: [
        { at: 1, place: { revision: 3, created: 2 } },
        { at: 2, place: { revision: 8, created: 8 } },
        { at: 3, place: undefined },
      ],
    },
    { done: true, revisions: [9, 10] },
  ]);
  assert.equal(revision, 10);
});
