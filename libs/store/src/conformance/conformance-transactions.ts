import assert from "node:assert/strict";
import { ApiError } from "@orch/status/api-error.js";
import { isReadable, type NewNote } from "../notes.js";
import { key, noRevision, revision } from "../revision.js";
import type { Transaction } from "../store.js";
import { type Drive, drive, follow, line, revisionOf } from "../testing/drive.js";
import { maxTransaction } from "../transactions.js";
import type { Scenario } from "./conformance-fixture.js";

interface Wanted {
  readonly name: string;
  readonly expected: number;
  /** undefined deletes. */
  readonly text: string | undefined;
  readonly note?: NewNote;
}

function commit({ store, key: keyOf }: Drive, wanted: readonly Wanted[]): Promise<Transaction> {
  assert.ok(store.transactions, "the store has transactions");
  return store.transactions.commit(
    wanted.map(({ name, expected, text, note }) => ({
      ...{ key: keyOf(name), expected: revision(expected), note },
      value: text === undefined ? undefined : Buffer.from(text),
    })),
  );
}

async function committed(d: Drive, wanted: readonly Wanted[]): Promise<readonly number[]> {
  const answer = await commit(d, wanted);
  assert.ok(answer.done, "the transaction was refused");
  return answer.revisions;
}

/** What every store that has {@link Transactions} does with them. */
export const transactions: Record<string, Scenario> = {
  "the changes of a transaction are all made, each with a revision of its own, in their order": async (d) => {
    const a = await d.put("a", 0, "1");
    const b = await d.put("b", 0, "1");
    const revisions = await committed(d, [
      { name: "c", expected: 0, text: "new" },
      { name: "a", expected: a, text: "2" },
      { name: "b", expected: b, text: undefined },
    ]);
    assert.equal(new Set(revisions).size, 3);
    assert.deepEqual(
      revisions,
      [...revisions].sort((x, y) => x - y),
    );
    assert.equal(await d.list(), "a=2 c=new");
    const changed = await d.store.get(d.key("a"));
    assert.deepEqual([changed?.revision, changed?.created], [revisions[1], a]);
    const events = await follow(d.store, { prefix: d.prefix, from: revision(b + 1), count: 3 });
    assert.deepEqual(
      events.map((event) => line(event, d.prefix)),
      [`+c@${revisions[0]}=new`, `~a@${revisions[1]}=2 (1)`, `-b@${revisions[2]} (1)`],
    );
  },
  "one change that is refused keeps all others from being made, and what stood in the way is told": async (d) => {
    const a = await d.put("a", 0, "1");
    const before = await d.store.revision();
    const refused = await commit(d, [
      { name: "b", expected: 0, text: "new" },
      { name: "a", expected: 0, text: "2" },
      { name: "missing", expected: a, text: undefined },
    ]);
    assert.deepEqual(refused, {
      done: false,
      refused: [{ at: 1, current: { key: d.key("a"), value: Buffer.from("1"), revision: a, created: a } }, { at: 2 }],
    });
    assert.equal(await d.list(), "a=1");
    assert.equal(await d.store.revision(), before);
    const next = await d.put("c", 0, "1");
    const events = await follow(d.store, { prefix: d.prefix, from: revision(a + 1), count: 1 });
    assert.deepEqual(
      events.map((event) => line(event, d.prefix)),
      [`+c@${next}=1`],
    );
  },
  "a watch that goes on behind any of a transaction's changes gets the ones after it": async (d) => {
    const revisions = await committed(
      d,
      ["a", "b", "c", "d"].map((name) => ({ name, expected: 0, text: name })),
    );
    for (const [i, at] of revisions.entries()) {
      if (i === revisions.length - 1) break;
      const from = revision(at + 1);
      const events = await follow(d.store, { prefix: d.prefix, from, count: revisions.length - 1 - i });
      assert.deepEqual(events.map(revisionOf), revisions.slice(i + 1));
    }
  },
  "others of the same moment are neither kept back nor refused with a transaction": async (d) => {
    const a = await d.put("a", 0, "1");
    const [before, refused, done, after] = await Promise.all([
      d.put("b", 0, "1"),
      commit(d, [
        { name: "never", expected: 0, text: "x" },
        { name: "a", expected: 0, text: "x" },
      ]),
      commit(d, [
        { name: "c", expected: 0, text: "1" },
        { name: "a", expected: a, text: "2" },
      ]),
      d.put("d", 0, "1"),
    ]);
    assert.ok(before > a && after > a);
    assert.deepEqual([refused.done, done.done], [false, true]);
    assert.equal(await d.list(), "a=2 b=1 c=1 d=1");
  },
  "of transactions at once that want the same key one is made, whole": async (d) => {
    const rivals = Array.from({ length: 10 }, (_, i) => [
      { name: `own-${i}`, expected: 0, text: String(i) },
      { name: "common", expected: 0, text: String(i) },
    ]);
    const answers = await Promise.all(rivals.map((rival) => commit(d, rival)));
    const winners = answers.flatMap(({ done }, i) => (done ? [i] : []));
    assert.equal(winners.length, 1);
    assert.equal(await d.list(), `common=${winners[0]} own-${winners[0]}=${winners[0]}`);
  },
  "no reader ever sees a part of a transaction": async (d) => {
    const names = Array.from({ length: 20 }, (_, i) => `k${String(i).padStart(2, "0")}`);
    let revisions = await committed(
      d,
      names.map((name) => ({ name, expected: 0, text: "0" })),
    );
    let over = false;
    const states = new Set<string>();
    const reading = (async () => {
      while (!over) {
        const { entries } = await d.store.range({ prefix: d.prefix });
        states.add([...new Set(entries.map(({ value }) => value.toString()))].join("+"));
        await new Promise(setImmediate);
      }
    })();
    for (let round = 1; round <= 20; round++) {
      const wanted = names.map((name, i) => ({ name, expected: revisions[i] ?? 0, text: String(round) }));
      revisions = await committed(d, wanted);
    }
    over = true;
    await reading;
    assert.deepEqual(
      [...states].filter((state) => state.includes("+")),
      [],
    );
  },
  "each note of a transaction is written with its change, and none of one that is refused": async (d) => {
    const noteOf = (name: string, text: string): NewNote => {
      return { space: "states", key: d.key(name), value: Buffer.from(text) };
    };
    const list = async () =>
      (await d.store.notes.range({ space: "states", prefix: d.prefix })).map(
        (note) => `${note.key.slice(d.prefix.length)}@${note.revision}=${isReadable(note) ? note.value : note.why}`,
      );
    const [a, b] = await committed(d, [
      { name: "a", expected: 0, text: "1", note: noteOf("a/1", "of a") },
      { name: "b", expected: 0, text: "1", note: noteOf("b/1", "of b") },
    ]);
    await commit(d, [
      { name: "c", expected: 0, text: "1", note: noteOf("c/1", "of c") },
      { name: "b", expected: 0, text: "2", note: noteOf("b/2", "of b") },
    ]);
    assert.deepEqual(await list(), [`a/1@${a}=of a`, `b/1@${b}=of b`]);
  },
  "deleting what is not there is no change of a transaction, and one of nothing is made": async (d) => {
    const revisions = await committed(d, [
      { name: "none", expected: 0, text: undefined },
      { name: "a", expected: 0, text: "1" },
    ]);
    assert.equal(revisions.length, 2);
    assert.equal(await d.list(), "a=1");
    assert.deepEqual(await committed(d, []), []);
  },
  "a transaction of too much is refused whole, and so is one with a value over the limit": async (d) => {
    const tooLarge = (error: unknown): boolean => error instanceof ApiError && error.reason === "RequestEntityTooLarge";
    const text = "x".repeat(1 << 20);
    const bytes = Array.from({ length: maxTransaction.bytes / text.length + 1 }, (_, i) => ({
      ...{ name: `k${i}`, expected: 0, text },
    }));
    const many = Array.from({ length: maxTransaction.changes + 1 }, (_, i) => ({
      ...{ name: `k${i}`, expected: 0, text: "x" },
    }));
    const huge = { name: "huge", expected: 0, text: "x".repeat(16 << 20) };
    for (const wanted of [bytes, many, [{ name: "small", expected: 0, text: "x" }, huge]])
      await assert.rejects(commit(d, wanted), tooLarge);
    assert.equal(await d.list(), "");
    const large = Array.from({ length: 8 }, (_, i) => ({ name: `k${i}`, expected: 0, text }));
    assert.equal((await committed(d, large)).length, 8);
  },
  "two changes of one key are no transaction": async (d) => {
    const twice = [
      { name: "a", expected: 0, text: "1" },
      { name: "a", expected: 0, text: "2" },
    ];
    await assert.rejects(commit(d, twice), RangeError);
    assert.equal(await d.list(), "");
  },
  "a transaction is there after opening again": async (d, fixture) => {
    const a = await d.put("a", 0, "1");
    await committed(d, [
      { name: "a", expected: a, text: "2" },
      { name: "b", expected: noRevision, text: "1" },
    ]);
    if (fixture.reopen === undefined) return;
    const again = drive(await fixture.reopen(), fixture.prefix);
    assert.equal(await again.list(), "a=2 b=1");
    assert.equal((await again.store.range({ prefix: key(d.prefix), at: a })).entries.length, 1);
  },
};
