import assert from "node:assert/strict";
import { test } from "node:test";
import { watchCacheWatch } from "@orch/rpc/methods.js";
import fc from "fast-check";
import { createInitialFrames, neighboursOf } from "./initial-frames.js";
import type { CachedObject } from "./object.js";
import type { Rendition } from "./renditions/rendition.js";
import { openStore, put, receiver, startCache, until, watchAll } from "./testing/cache-fixture.js";

const object = (key: string, revision: number, size = 1000): CachedObject => ({
  ...{ key, revision, size, bytes: Buffer.alloc(0), itemAt: 0, versionAt: 0 },
  ...{ labels: undefined, head: undefined, fields: undefined },
});

/** Frames are names, and it counts how many were made. */
function rendition(id = "plain", timeless = true) {
  let made = 0;
  const unused = (): never => assert.fail("only events are made");
  const self: Rendition = {
    ...{ id, timeless, made: false, asks: false, document: unused, list: unused, liveEvent: unused },
    ...{ bookmark: unused, error: unused, prepare: () => undefined },
    event(_type, { key }) {
      made++;
      return Buffer.from(`${key} `);
    },
    get following() {
      return self;
    },
  };
  return { rendition: self, made: () => made };
}

const objects = fc
  .uniqueArray(fc.tuple(fc.nat(100_000), fc.integer({ min: 1, max: 400_000 })), {
    maxLength: 400,
    selector: ([revision]) => revision,
  })
  .map((some) => some.map(([revision, size], i) => object(String(i).padStart(4, "0"), revision + 1, size)));

test("the groups of a state are the state, in its order; none is over 128 KiB but for one object", () => {
  fc.assert(
    fc.property(objects, (items) => {
      const groups = neighboursOf(items);
      assert.deepEqual(
        groups.flatMap((group) => group.items),
        items,
      );
      for (const group of groups) {
        assert.equal(
          group.bytes,
          group.items.reduce((sum, { size }) => sum + size, 0),
        );
        assert.ok(group.items.length === 1 || (group.items.length > 1 && group.bytes <= 128 * 1024));
      }
    }),
  );
});

test("an object that comes leaves most groups as they were", () => {
  const items = Array.from({ length: 2000 }, (_, i) => object(String(i).padStart(4, "0"), (i * 7919) % 100_003));
  const more = [...items.slice(0, 1000), object("0999x", 5), ...items.slice(1000)];
  const before = new Set(neighboursOf(items).map((group) => group.items.map(({ key }) => key).join()));
  const changed = neighboursOf(more).filter((group) => !before.has(group.items.map(({ key }) => key).join()));
  assert.ok(changed.length <= before.size / 8, `${changed.length} of ${before.size} groups`);
});

function bed(maxBytes = 1 << 20) {
  let forget = (): void => {};
  const frames = createInitialFrames(maxBytes, (_ms, run) => {
    forget = run;
    return () => {
      forget = () => {};
    };
  });
  return { frames, forget: () => forget() };
}

test("the same neighbours are made once while several are told them, and for the same form alone", () => {
  const { frames, forget } = bed();
  const [plain, other] = [rendition(), rendition("other")];
  const items = [object("a", 1), object("b", 2)];
  const over = [frames.begin(), frames.begin()];
  for (let i = 0; i < 3; i++) assert.equal(frames.of(plain.rendition, items).toString(), "a b ");
  assert.equal(plain.made(), 2);
  frames.of(other.rendition, items);
  assert.equal(other.made(), 2);
  assert.equal(frames.of(plain.rendition, [object("a", 1), object("c", 3)]).toString(), "a c ");
  for (const end of [...over, ...over]) end();
  forget();
  frames.of(plain.rendition, items);
  assert.equal(plain.made(), 6);
});

test("nothing is kept for one alone, nor what has its time in it", () => {
  const { frames } = bed();
  const [plain, table] = [rendition(), rendition("table", false)];
  const items = [object("a", 1)];
  frames.begin();
  frames.of(plain.rendition, items);
  frames.of(plain.rendition, items);
  frames.begin();
  frames.of(table.rendition, items);
  frames.of(table.rendition, items);
  assert.deepEqual([plain.made(), table.made()], [2, 2]);
});

test("what is kept is bounded by its bytes, those that were asked for last stay", () => {
  const { frames } = bed(10);
  const { rendition: plain, made } = rendition();
  frames.begin();
  frames.begin();
  const [a, b] = [[object("aaaa", 1)], [object("bbbb", 2)]];
  for (const items of [a, b, a, [object("cccc", 3)], a]) frames.of(plain, items);
  assert.equal(made(), 3);
  frames.of(plain, b);
  assert.equal(made(), 4);
});

test("what changes while a large first state is sent comes behind it, each change once and in order", async (t) => {
  const store = await openStore(t);
  for (let i = 0; i < 40; i++) await put(store, `m${String(i).padStart(2, "0")}`, 100_000);
  const caller = startCache(t, store);
  const seen = receiver();
  const stream = caller.open(watchCacheWatch, { ...watchAll, resourceVersion: "0" }, seen);
  await until("it begins", () => seen.bytes() > 0);
  stream.pause();
  for (let round = 0; round < 3; round++) await put(store, "m00", 10 + round);
  await put(store, "new", 10);
  stream.resume();
  await until("the last", () => seen.chunks.join("").includes('"name":"new"'));
  const lines = seen.chunks
    .join("")
    .split("\n")
    .filter((line) => line !== "");
  const told = lines.map((line) => {
    const { type, object: shown } = JSON.parse(line);
    return `${type} ${shown.metadata.name}`;
  });
  assert.deepEqual(
    told.slice(0, 40),
    Array.from({ length: 40 }, (_, i) => `ADDED m${String(i).padStart(2, "0")}`),
  );
  assert.deepEqual(told.slice(40), ["MODIFIED m00", "MODIFIED m00", "MODIFIED m00", "ADDED new"]);
});
