import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ApiError } from "@orch/status/api-error.js";
import { key, noRevision, revision } from "../revision.js";
import { drive, follow, line } from "../testing/drive.js";
import type { Fixture, Scenario } from "./conformance-fixture.js";
import { notes } from "./conformance-notes.js";
import { transactions } from "./conformance-transactions.js";

export interface Implementation {
  readonly name: string;
  /** Why it cannot be tested here. */
  readonly skip?: string;
  /** Why it has no transactions. */
  readonly withoutTransactions?: string;
  open(): Promise<Fixture>;
}

/** Registers the tests that every Store must pass (the contract on the interface, and no more than it). */
export function storeConformance(implementation: Implementation): void {
  describe(`${implementation.name} is a Store`, { skip: implementation.skip ?? false }, () => {
    const all = { ...swaps, ...ranges, ...watches, ...compactions, ...lives, ...notes };
    const run = async (scenario: Scenario): Promise<void> => {
      const fixture = await implementation.open();
      try {
        await scenario(drive(fixture.store, fixture.prefix), fixture);
      } finally {
        await fixture.cleanup();
      }
    };
    for (const [name, scenario] of Object.entries(all)) test(name, () => run(scenario));
    const { withoutTransactions } = implementation;
    for (const [name, scenario] of Object.entries(withoutTransactions === undefined ? transactions : none))
      test(name, () => run(scenario));
  });
}

/** Of a store that has none. */
const none: Record<string, Scenario> = {
  "a store without transactions says so": async (d) => assert.equal(d.store.transactions, undefined),
};

const expiredError = (error: unknown): boolean => error instanceof ApiError && error.reason === "Expired";

const swaps: Record<string, Scenario> = {
  "a create needs the key to be absent and says what stands in the way": async (d) => {
    const created = await d.put("a", 0, "1");
    assert.ok(created > 0);
    const again = await d.store.swap({ key: d.key("a"), expected: noRevision, value: Buffer.from("2") });
    assert.deepEqual(again, {
      done: false,
      current: { key: d.key("a"), value: Buffer.from("1"), revision: created, created },
    });
  },
  "an update compares the revision and keeps the revision of creation": async (d) => {
    const first = await d.put("a", 0, "1");
    const second = await d.put("a", first, "2");
    assert.ok(second > first);
    const stale = await d.store.swap({ key: d.key("a"), expected: first, value: Buffer.from("3") });
    assert.equal(stale.done, false);
    assert.deepEqual(await d.store.get(d.key("a")), {
      key: d.key("a"),
      value: Buffer.from("2"),
      revision: second,
      created: first,
    });
  },
  "an update of an absent key is refused with nothing in the way": async (d) => {
    const refused = await d.store.swap({ key: d.key("a"), expected: revision(1), value: Buffer.from("1") });
    assert.deepEqual(refused, { done: false });
  },
  "a delete compares the revision and takes a revision of its own": async (d) => {
    const first = await d.put("a", 0, "1");
    const second = await d.put("a", first, "2");
    assert.equal((await d.store.swap({ key: d.key("a"), expected: first, value: undefined })).done, false);
    const deleted = await d.remove("a", second);
    assert.ok(deleted > second);
    assert.equal(await d.store.get(d.key("a")), undefined);
    assert.deepEqual(await d.store.swap({ key: d.key("a"), expected: second, value: undefined }), { done: false });
    const back = await d.put("a", 0, "3");
    assert.equal((await d.store.get(d.key("a")))?.created, back);
  },
  "of many swaps at once that expect the same revision exactly one is done": async (d) => {
    const first = await d.put("a", 0, "start");
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        d.store.swap({ key: d.key("a"), expected: first, value: Buffer.from(String(i)) }),
      ),
    );
    const winners = all.flatMap((swap, i) => (swap.done ? [i] : []));
    assert.equal(winners.length, 1);
    assert.equal((await d.store.get(d.key("a")))?.value.toString(), String(winners[0]));
  },
  "swaps at once of different keys have different revisions": async (d) => {
    const revisions = await Promise.all(Array.from({ length: 50 }, (_, i) => d.put(`k${i}`, 0, "x")));
    assert.equal(new Set(revisions).size, 50);
  },
  "values are bytes, may be empty and hold a megabyte, and a returned one pins no more than itself": async (d) => {
    const bytes = Buffer.from([0, 255, 128, 0xc3, 0x28]);
    const big = Buffer.alloc(1 << 20, "0123456789abcdef");
    await d.store.swap({ key: d.key("empty"), expected: noRevision, value: Buffer.alloc(0) });
    await d.store.swap({ key: d.key("bytes"), expected: noRevision, value: bytes });
    await d.store.swap({ key: d.key("big"), expected: noRevision, value: big });
    for (const [name, value] of Object.entries({ empty: Buffer.alloc(0), bytes, big })) {
      const got = (await d.store.get(d.key(name)))?.value;
      assert.ok(got?.equals(value) === true, `${name} came back changed`);
      assert.equal(got.buffer.byteLength, value.length);
    }
  },
  "a value over the limit is refused, and the store goes on": async (d) => {
    const huge = d.store.swap({ key: d.key("huge"), expected: noRevision, value: Buffer.alloc(16 << 20) });
    await assert.rejects(huge, (error) => error instanceof ApiError && error.reason === "RequestEntityTooLarge");
    await d.put("small", 0, "1");
    assert.equal(await d.list(), "small=1");
  },
};

const ranges: Record<string, Scenario> = {
  "a range is in bytewise order of UTF-8 and within its prefix": async (d) => {
    // U+FF5E sorts before U+1F600 by bytes, after it by UTF-16 units.
    for (const name of ["b/2", "b/😀", "b/~", "b/～", "b", "b/", "b/10", "b0", "a/1", "b/é"]) await d.put(name, 0, "x");
    const { entries, count } = await d.store.range({ prefix: d.key("b/") });
    const names = entries.map((entry) => entry.key.slice(d.prefix.length));
    assert.deepEqual(names, ["b/", "b/10", "b/2", "b/~", "b/é", "b/～", "b/😀"]);
    assert.equal(count, 7);
  },
  "an empty range has a revision": async (d) => {
    const written = await d.put("a", 0, "1");
    const { entries, count, revision: at } = await d.store.range({ prefix: d.key("none/") });
    assert.deepEqual([entries, count], [[], 0]);
    assert.ok(at >= written);
  },
  "pages with from and limit at one revision give the whole, whatever is written between": async (d) => {
    const written: [string, number][] = [];
    for (let i = 0; i < 25; i++)
      written.push([`k${String(i).padStart(2, "0")}`, await d.put(`k${String(i).padStart(2, "0")}`, 0, "old")]);
    const first = await d.store.range({ prefix: d.prefix, limit: 10 });
    assert.deepEqual([first.entries.length, first.count], [10, 25]);
    await d.put("k12", written[12]?.[1] ?? 0, "new");
    await d.remove("k13", written[13]?.[1] ?? 0);
    await d.put("k135", 0, "new");
    const names = first.entries.map((entry) => entry.key);
    let from = key(`${names.at(-1)}\0`);
    for (const [page, left] of [
      [10, 15],
      [5, 5],
    ] as const) {
      const next = await d.store.range({ prefix: d.prefix, from, limit: 10, at: first.revision });
      assert.deepEqual([next.entries.length, next.count, next.revision], [page, left, first.revision]);
      assert.ok(next.entries.every((entry) => entry.value.toString() === "old"));
      names.push(...next.entries.map((entry) => entry.key));
      from = key(`${names.at(-1)}\0`);
    }
    assert.deepEqual(
      names,
      written.map(([name]) => d.key(name)),
    );
  },
  "from before the prefix starts at the prefix, from behind it finds nothing": async (d) => {
    for (const name of ["a/1", "b/1", "c/1"]) await d.put(name, 0, name);
    const find = async (from: string): Promise<number> =>
      (await d.store.range({ prefix: d.key("b/"), from: d.key(from) })).count;
    assert.deepEqual([await find("a/"), await find("b/1"), await find("b/2"), await find("c/")], [1, 1, 0, 0]);
  },
  "every older revision is still there as it was": async (d) => {
    const r1 = await d.put("a", 0, "1");
    const r2 = await d.put("b", 0, "1");
    const r3 = await d.put("a", r1, "2");
    const r4 = await d.remove("b", r2);
    const r5 = await d.put("b", 0, "2");
    const r6 = await d.remove("a", r3);
    const states = [r1, r2, r3, r4, r5, r6].map((at) => d.list(at));
    assert.deepEqual(await Promise.all(states), ["a=1", "a=1 b=1", "a=2 b=1", "a=2", "a=2 b=2", "b=2"]);
    const old = await d.store.range({ prefix: d.prefix, at: r3 });
    assert.deepEqual([old.revision, old.entries[0]?.revision, old.entries[0]?.created], [r3, r3, r1]);
  },
  "revision and reads see every write acknowledged before": async (d) => {
    for (let i = 0; i < 10; i++) {
      const written = await d.put(`k${i}`, 0, "x");
      assert.ok((await d.store.revision()) >= written);
      assert.ok((await d.store.range({ prefix: d.prefix })).revision >= written);
      assert.equal((await d.store.get(d.key(`k${i}`)))?.revision, written);
    }
  },
};

const watches: Record<string, Scenario> = {
  "a watch from an older revision brings every change with what it replaced": async (d) => {
    const r1 = await d.put("a", 0, "1");
    const r2 = await d.put("a", r1, "2");
    const r3 = await d.put("b", 0, "1");
    const r4 = await d.remove("a", r2);
    const r5 = await d.put("a", 0, "3");
    const events = await follow(d.store, { prefix: d.prefix, from: r2, count: 4 });
    assert.deepEqual(
      events.map((event) => line(event, d.prefix)),
      [`~a@${r2}=2 (1)`, `+b@${r3}=1`, `-a@${r4} (2)`, `+a@${r5}=3`],
    );
    const [update] = events;
    assert.ok(update?.type === "put");
    assert.deepEqual([update.entry.created, update.previous?.revision, update.previous?.created], [r1, r1, r1]);
  },
  "a watch goes on with what is written while it runs, in order": async (d) => {
    const from = await d.put("k000", 0, "x");
    const following = follow(d.store, { prefix: d.prefix, from, count: 200 });
    const written = [from, ...(await Promise.all(Array.from({ length: 199 }, (_, i) => d.put(`l${i}`, 0, "x"))))];
    const events = await following;
    assert.deepEqual(
      events.map((event) => (event.type === "put" ? event.entry.revision : 0)),
      written.sort((a, b) => a - b),
    );
  },
  "a watch of a narrower prefix brings only its own": async (d) => {
    const from = await d.put("a/1", 0, "x");
    await d.put("b/1", 0, "x");
    const last = await d.put("a/2", 0, "y");
    const events = await follow(d.store, { prefix: d.key("a/"), from, count: 2 });
    assert.deepEqual(
      events.map((event) => line(event, d.prefix)),
      [`+a/1@${from}=x`, `+a/2@${last}=y`],
    );
  },
  "a watch may start at a revision that is still to come": async (d) => {
    const now = await d.put("a", 0, "1");
    const following = follow(d.store, { prefix: d.prefix, from: revision(now + 2), count: 1 });
    await d.put("b", 0, "skipped");
    const seen = await d.put("c", 0, "seen");
    assert.deepEqual(
      (await following).map((event) => line(event, d.prefix)),
      [`+c@${seen}=seen`],
    );
  },
  "a range that is asked proves its newest entry, and a watch goes on from the proof": async (d) => {
    const first = await d.put("b", 0, "1");
    await d.put("a", 0, "1");
    const newest = await d.put("b", first, "2");
    await d.put("c/other", 0, "1");
    const { proof } = await d.store.range({ prefix: d.key("b"), prove: "newest" });
    assert.deepEqual([proof?.key, proof?.revision], [d.key("b"), newest]);
    assert.equal((await d.store.range({ prefix: d.prefix })).proof, undefined);
    assert.equal((await d.store.range({ prefix: d.key("none/"), prove: "newest" })).proof, undefined);
    const whole = await d.store.range({ prefix: d.prefix, prove: "newest" });
    assert.equal(whole.proof?.key, d.key("c/other"));
    const last = await d.put("d", 0, "1");
    const known = whole.proof;
    assert.ok(known);
    const events = await follow(d.store, { prefix: d.prefix, from: revision(whole.revision + 1), count: 1, known });
    assert.deepEqual(
      events.map((event) => line(event, d.prefix)),
      [`+d@${last}=1`],
    );
  },
  "a watch ends by its signal, at once and without an error": async (d) => {
    const from = await d.put("a", 0, "1");
    const stop = new AbortController();
    for await (const item of d.store.watch({ prefix: d.prefix, from, signal: stop.signal })) {
      if (item.type === "events") stop.abort();
    }
    for await (const item of d.store.watch({ prefix: d.prefix, from, signal: stop.signal })) {
      assert.fail(`an aborted watch brought ${item.type}`);
    }
  },
  "a slow watcher of a long backlog loses nothing": async (d) => {
    const from = await d.put("first", 0, "x");
    const value = Buffer.alloc(20_000, "v");
    for (let i = 0; i < 10; i++) {
      await Promise.all(
        Array.from({ length: 40 }, (_, j) => d.store.swap({ key: d.key(`k${i}-${j}`), expected: noRevision, value })),
      );
    }
    const each = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
    const events = await follow(d.store, { prefix: d.prefix, from, count: 401, each });
    assert.equal(new Set(events.map((event) => (event.type === "put" ? event.entry.key : ""))).size, 401);
  },
};

const compactions: Record<string, Scenario> = {
  "compaction makes older revisions Expired and keeps the state at its revision": async (d) => {
    const r1 = await d.put("a", 0, "1");
    const r2 = await d.put("b", 0, "1");
    const r3 = await d.put("a", r1, "2");
    const r4 = await d.remove("b", r2);
    await d.store.compact(r3);
    await assert.rejects(d.list(r1), expiredError);
    await assert.rejects(d.list(r2), expiredError);
    assert.deepEqual([await d.list(r3), await d.list(r4)], ["a=2 b=1", "a=2"]);
    await assert.rejects(follow(d.store, { prefix: d.prefix, from: r2, count: 1 }), expiredError);
    const events = await follow(d.store, { prefix: d.prefix, from: r4, count: 1 });
    assert.deepEqual(
      events.map((event) => line(event, d.prefix)),
      [`-b@${r4} (1)`],
    );
  },
  "compaction again, or to an older revision, changes nothing": async (d) => {
    const r1 = await d.put("a", 0, "1");
    const r2 = await d.put("a", r1, "2");
    await d.store.compact(r2);
    await d.store.compact(r2);
    await d.store.compact(r1);
    assert.equal(await d.list(r2), "a=2");
    await assert.rejects(d.list(r1), expiredError);
  },
  "a watch that is up to date lives through a compaction": async (d) => {
    const r1 = await d.put("a", 0, "1");
    let next = r1;
    const events = await follow(d.store, {
      prefix: d.prefix,
      from: r1,
      count: 5,
      each: async (item) => {
        if (item.type !== "events") return;
        await d.store.compact(next);
        next = await d.put("a", next, "again");
      },
    });
    assert.equal(events.length, 5);
  },
  "writing goes on while history is compacted behind it": async (d) => {
    let at = await d.put("a", 0, "0");
    for (let i = 1; i <= 30; i++) {
      at = await d.put("a", at, String(i));
      if (i % 5 === 0) await d.store.compact(at);
    }
    assert.equal(await d.list(), "a=30");
    assert.equal(await d.list(at), "a=30");
  },
};

const lives: Record<string, Scenario> = {
  "everything is there after opening again, and revisions go on growing": async (d, fixture) => {
    if (fixture.reopen === undefined) return;
    const r1 = await d.put("a", 0, "1");
    const r2 = await d.put("a", r1, "2");
    await d.store.compact(r1);
    const again = drive(await fixture.reopen(), fixture.prefix);
    assert.ok((await again.store.revision()) >= r2);
    assert.deepEqual([await again.list(), await again.list(r1)], ["a=2", "a=1"]);
    assert.ok((await again.put("a", r2, "3")) > r2);
    const events = await follow(again.store, { prefix: d.prefix, from: r2, count: 2 });
    assert.equal(line(events[0] ?? assert.fail("no event"), d.prefix), `~a@${r2}=2 (1)`);
  },
  "close ends watches and refuses what comes after": async (d) => {
    const r1 = await d.put("a", 0, "1");
    const watching = (async () => {
      for await (const item of d.store.watch({ prefix: d.prefix, from: r1, signal: new AbortController().signal })) {
        if (item.type === "events") void d.store.close();
      }
    })();
    await watching;
    await d.store.close();
    const unavailable = (error: unknown): boolean => error instanceof ApiError && error.reason === "ServiceUnavailable";
    await assert.rejects(d.put("b", 0, "1"), unavailable);
    await assert.rejects(d.store.get(d.key("a")), unavailable);
    await assert.rejects(d.store.range({ prefix: d.prefix }), unavailable);
    await assert.rejects(d.store.revision(), unavailable);
  },
};
