import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Change, eventFor, type Item } from "./change.js";
import { createCollection } from "./collection.js";
import { type Batch, createFeeds, type Interest } from "./feeds.js";
import { createGate } from "./gate.js";
import { createHistory } from "./history.js";
import { createReadIndex } from "./read-index.js";
import type { Scope } from "./selection.js";

interface Thing extends Item {
  readonly color: string;
}

const thing = (key: string, revision: number, color = "red"): Thing => ({ key, revision, color, size: 10 });
const put = (key: string, revision: number, color?: string, previous?: Thing): Change<Thing> => ({
  revision,
  key,
  item: thing(key, revision, color),
  previous,
});
const valueAt = (item: Thing, path: string): string | undefined => (path === "color" ? item.color : undefined);
const timeless = { keepMs: 1000, maxBytes: 1e9, now: () => 0, valueAt };
const isRed = (t: Thing): boolean => t.color === "red";

const eventRows: readonly [before: string | undefined, now: string | undefined, event: string | undefined][] = [
  [undefined, "red", "ADDED"],
  ["blue", "red", "ADDED"],
  ["red", "red", "MODIFIED"],
  ["red", "blue", "DELETED"],
  ["red", undefined, "DELETED"],
  ["blue", undefined, undefined],
  ["blue", "blue", undefined],
  [undefined, "blue", undefined],
];
for (const [before, now, event] of eventRows) {
  test(`an item that was ${before} and is ${now} is ${event} to a watcher of red ones`, () => {
    const previous = before === undefined ? undefined : thing("a", 1, before);
    const item = now === undefined ? undefined : thing("a", 2, now);
    const seen = eventFor({ revision: 2, key: "a", item, previous }, isRed);
    assert.equal(seen?.type, event);
    if (seen?.type === "DELETED") assert.equal(seen.item, previous, "with its last matching state");
  });
}

test("history answers what it has and says so when it has not", () => {
  const history = createHistory<Thing>(4, timeless);
  for (const revision of [5, 6, 9]) history.append(put("a", revision));
  const revisions = (from: number): number[] | undefined => history.since(from)?.map((c) => c.revision);
  assert.deepEqual(revisions(4), [5, 6, 9]);
  assert.deepEqual(revisions(6), [9]);
  assert.deepEqual(revisions(9), []);
  assert.equal(revisions(3), undefined);
  assert.equal(history.floor, 4);
});

test("history drops by age and by bytes, and its floor follows", () => {
  let now = 0;
  const history = createHistory<Thing>(0, { keepMs: 100, maxBytes: 650, now: () => now });
  history.append(put("a", 1));
  now = 150;
  history.append(put("a", 2));
  assert.equal(history.since(0), undefined, "revision 1 is over age");
  assert.equal(history.since(1)?.length, 1);
  for (let revision = 3; revision < 10; revision++) history.append(put("a", revision, "red", thing("a", revision - 1)));
  assert.ok(history.bytes <= 650);
  assert.equal(history.since(2), undefined, "over bytes");
  assert.equal(history.since(9)?.length, 0);
  assert.ok(history.since(history.floor) !== undefined && history.since(history.floor - 1) === undefined);
});

test("a collection selects by scope in key order", () => {
  const keys = ["a/x", "a/y", "a-b/x", "b/x", "a0/x"];
  const collection = createCollection(
    keys.map((k) => thing(k, 1)),
    1,
    timeless,
  );
  const select = (scope: Scope, limit?: number): string[] =>
    collection.select({ scope, ...(limit === undefined ? {} : { limit }) }).items.map((i) => i.key);
  assert.deepEqual(select({ type: "all" }), [...keys].sort());
  assert.deepEqual(select({ type: "namespace", namespace: "a" }), ["a/x", "a/y"]);
  assert.deepEqual(select({ type: "key", key: "b/x" }), ["b/x"]);
  assert.deepEqual(select({ type: "all" }, 2), ["a-b/x", "a/x"]);
  assert.equal(collection.select({ scope: { type: "all" }, limit: 5 }).more, false);
  assert.equal(collection.select({ scope: { type: "all" }, limit: 4 }).more, true);
});

function recorder(): { frames: string[]; batches: Batch[]; watcher: { deliver(batch: Batch): void } } {
  const frames: string[] = [];
  const batches: Batch[] = [];
  const deliver = (batch: Batch): void => {
    batches.push(batch);
    frames.push(batch.frames.toString());
  };
  return { frames, batches, watcher: { deliver } };
}

function interest(id: string, scope: Scope, matches = (_: Thing): boolean => true): Interest<Thing> {
  return { id, scope, matches, encode: (type, item, revision) => Buffer.from(`${type} ${item.key}@${revision};`) };
}

test("watchers of one interest share one batch a tick; others see their scope only", () => {
  const feeds = createFeeds<Thing>(valueAt);
  const all = recorder();
  const same = recorder();
  feeds.join(interest("all", { type: "all" }), all.watcher);
  feeds.join(interest("all", { type: "all" }), same.watcher);
  const inA = recorder();
  feeds.join(interest("ns a", { type: "namespace", namespace: "a" }), inA.watcher);
  const single = recorder();
  const leave = feeds.join(interest("key", { type: "key", key: "b/x" }), single.watcher);
  feeds.publish(put("a/x", 1), 10);
  feeds.publish(put("b/x", 2), 20);
  feeds.flush();
  assert.deepEqual(all.frames, ["ADDED a/x@1;ADDED b/x@2;"]);
  assert.equal(same.batches.length, 1);
  assert.equal(same.batches[0], all.batches[0]);
  assert.deepEqual(inA.frames, ["ADDED a/x@1;"]);
  assert.deepEqual(single.frames, ["ADDED b/x@2;"]);
  const told = [...all.batches, ...inA.batches, ...single.batches].map(({ frames: _, ...rest }) => rest);
  assert.deepEqual(told, [
    { events: 2, since: 10, revision: 2 },
    { events: 1, since: 10, revision: 1 },
    { events: 1, since: 20, revision: 2 },
  ]);
  leave();
  feeds.publish(put("b/x", 3), 30);
  feeds.flush();
  assert.equal(all.batches.at(-1)?.since, 30, "of the newest batch alone");
  assert.equal(single.frames.length, 1);
  assert.equal(feeds.watchers, 3);
});

test("a watcher that joins in the middle of a tick gets nothing older than its start", () => {
  const feeds = createFeeds<Thing>(valueAt);
  const first = recorder();
  const late = recorder();
  feeds.join(interest("all", { type: "all" }), first.watcher);
  feeds.publish(put("a", 1), 0);
  feeds.join(interest("all", { type: "all" }), late.watcher);
  feeds.publish(put("b", 2), 0);
  feeds.flush();
  assert.deepEqual(first.frames, ["ADDED a@1;", "ADDED b@2;"]);
  assert.deepEqual(late.frames, ["ADDED b@2;"]);
});

test("list then watch sees exactly what a replay of all changes sees, wherever the watch starts", () => {
  const step = fc.record({
    key: fc.constantFrom("a/x", "a/y", "b/x", "b/z"),
    color: fc.constantFrom("red", "blue", ""),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.nat(60), (steps, cut) => {
      const collection = createCollection<Thing>([], 0, timeless);
      const feeds = createFeeds<Thing>(valueAt);
      const state = new Map<string, string>();
      const start = (revision: number): void => {
        for (const item of collection.select({ scope: { type: "all" }, matches: isRed }).items)
          state.set(item.key, item.color);
        feeds.join(
          {
            id: "red",
            scope: { type: "all" },
            matches: isRed,
            encode: (type, item) => {
              if (type === "DELETED") assert.ok(state.delete(item.key), "deleted once, and known");
              else {
                assert.equal(state.has(item.key), type === "MODIFIED");
                state.set(item.key, item.color);
              }
              return Buffer.alloc(0);
            },
          },
          { deliver: () => {} },
        );
        assert.deepEqual(collection.history.since(revision), []);
      };
      steps.forEach(({ key, color }, index) => {
        if (index === cut) start(index);
        const previous = collection.get(key);
        const item = color === "" ? undefined : thing(key, index + 1, color);
        if (item === undefined && previous === undefined) return;
        const change = { revision: index + 1, key, item, previous };
        collection.apply(change);
        feeds.publish(change, 0);
      });
      if (cut >= steps.length) start(steps.length);
      const expected = collection.select({ scope: { type: "all" }, matches: isRed }).items.map((i) => i.key);
      assert.deepEqual([...state.keys()].sort(), expected);
    }),
  );
});

test("a gate opens for those whose revision came and closes on those whose time is over", async () => {
  const gate = createGate(5);
  assert.equal(await gate.reach(5, 0), true);
  const soon = gate.reach(7, 10_000);
  const never = gate.reach(9, 5);
  gate.advance(8);
  assert.equal(await soon, true);
  assert.equal(await never, false);
  assert.equal(gate.revision, 8);
});

test("a gate that is set back keeps those waiting whose revision is still to come", async () => {
  const gate = createGate(5);
  const later = gate.reach(6, 10_000);
  gate.reset(2);
  assert.equal(gate.revision, 2);
  const third = gate.reach(3, 10_000);
  gate.advance(3);
  assert.equal(await third, true);
  gate.advance(6);
  assert.equal(await later, true);
});

const readIndexOf = (fetch: () => Promise<number>) =>
  createReadIndex({ fetch, patienceMs: 10_000, late: () => new Error("late") });

test("reads that gather while a trip is under way share the next one, and none takes an earlier answer", async () => {
  let revision = 1;
  const release: (() => void)[] = [];
  const index = readIndexOf(() => {
    const seen = revision;
    return new Promise((resolve) => release.push(() => resolve(seen)));
  });
  const first = [index.current(), index.current()];
  await Promise.resolve();
  await Promise.resolve();
  assert.equal(index.trips, 1);
  revision = 2;
  const second = [index.current(), index.current(), index.current()];
  release[0]?.();
  assert.deepEqual(await Promise.all(first), [1, 1]);
  while (release.length < 2) await Promise.resolve();
  release[1]?.();
  assert.deepEqual(await Promise.all(second), [2, 2, 2]);
  assert.equal(index.trips, 2);
});

test("a failed trip fails its readers and not the next ones", async () => {
  let healthy = false;
  const index = readIndexOf(() => (healthy ? Promise.resolve(3) : Promise.reject(new Error("away"))));
  await assert.rejects(index.current());
  healthy = true;
  assert.equal(await index.current(), 3);
});

test("a store that does not answer fails its readers in time, those who gather behind them too, and is asked again", async () => {
  const answers: ((revision: number) => void)[] = [];
  const index = createReadIndex({
    fetch: () => new Promise((resolve) => answers.push(resolve)),
    patienceMs: 20,
    late: () => new Error("late"),
  });
  const first = index.current();
  await new Promise(setImmediate);
  const second = index.current();
  await assert.rejects(first, /late/);
  // The late answer of the first trip is nobody's: the second reader came after it was sent.
  answers[0]?.(1);
  await Promise.allSettled([second]);
  const third = index.current();
  await new Promise(setImmediate);
  answers.at(-1)?.(3);
  assert.equal(await third, 3);
  assert.equal(index.trips, answers.length);
  assert.equal(index.reads, 3);
});
