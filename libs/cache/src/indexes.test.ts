import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Change, Item } from "./change.js";
import { createCollection } from "./collection.js";
import { createFeeds, type Interest } from "./feeds.js";
import { createIndexes, type Term } from "./indexes.js";
import { inScope, type Scope } from "./selection.js";

interface Thing extends Item {
  readonly values: Readonly<Record<string, string>>;
}

const valueAt = ({ values }: Thing, path: string): string | undefined => values[path];
const options = { keepMs: 1000, maxBytes: 1e9, now: () => 0, valueAt };

const color = fc.constantFrom("red", "blue", "green");
const values = fc.record({ color, size: fc.constantFrom("s", "m") }, { requiredKeys: [] });
const step = fc.record({ key: fc.nat(40), values: fc.option(values) });
const term: fc.Arbitrary<Term> = fc.oneof(
  fc.record({ path: fc.constant("color"), values: fc.uniqueArray(color, { maxLength: 3 }) }),
  fc.constant({ path: "size" }),
  fc.constant({ path: "shape", values: ["round"] }),
);

function fulfils(item: Thing, { path, values: wanted }: Term): boolean {
  const value = valueAt(item, path);
  return value !== undefined && (wanted === undefined || wanted.includes(value));
}

/** Applies a step to the items and gives the change, if it is one. */
function changeOf(items: Map<string, Thing>, at: number, made: { key: number; values: Thing["values"] | null }) {
  const key = `n${made.key % 3}/${made.key}`;
  const previous = items.get(key);
  if (made.values === null && previous === undefined) return undefined;
  const item = made.values === null ? undefined : { key, revision: at, size: 1, values: made.values };
  if (item === undefined) items.delete(key);
  else items.set(key, item);
  return { key, revision: at, item, previous } satisfies Change<Thing>;
}

test("an index finds what a walk over all items finds, before and after any changes", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), fc.array(term, { minLength: 1, maxLength: 3 }), (steps, terms) => {
      const items = new Map<string, Thing>();
      const indexes = createIndexes<Thing>({ valueAt, items: () => items.values() });
      steps.forEach((made, i) => {
        const change = changeOf(items, i + 1, made);
        if (change !== undefined) indexes.apply(change);
        const keys = indexes.find(terms, Number.POSITIVE_INFINITY) ?? [];
        const walked = [...items.values()].filter((item) => terms.every((t) => fulfils(item, t)));
        // One term of several is looked up; the others are for whoever asked.
        for (const { key } of walked) assert.ok(keys.includes(key), key);
        assert.ok(terms.some((t) => keys.every((key) => fulfils(items.get(key) ?? assert.fail(key), t))));
        assert.equal(new Set(keys).size, keys.length);
      });
    }),
  );
});

test("a term that narrows too little is left to a walk", () => {
  const items = [1, 2, 3, 4].map((i) => ({
    key: `${i}`,
    revision: i,
    size: 1,
    values: { color: i === 1 ? "red" : "blue" },
  }));
  const indexes = createIndexes<Thing>({ valueAt, items: () => items });
  assert.equal(indexes.find([{ path: "color", values: ["blue"] }], 2), undefined);
  assert.deepEqual(indexes.find([{ path: "color", values: ["red"] }], 2), ["1"]);
  assert.deepEqual(indexes.find([{ path: "color", values: ["none"] }], 0), []);
  assert.deepEqual(indexes.find([{ path: "color", values: ["blue"] }, { path: "shape" }], 2), []);
});

test("only so many paths are indexed, and one that others pushed out is found all the same", () => {
  const items = [{ key: "a", revision: 1, size: 1, values: { p0: "x" } }];
  let walks = 0;
  const indexes = createIndexes<Thing>({
    valueAt,
    items: () => {
      walks += 1;
      return items;
    },
  });
  for (let i = 0; i < 40; i++) indexes.find([{ path: `p${i}` }], 1);
  assert.equal(walks, 40);
  indexes.find([{ path: "p39" }], 1);
  assert.equal(walks, 40);
  assert.deepEqual(indexes.find([{ path: "p0", values: ["x"] }], 1), ["a"]);
  assert.equal(walks, 41);
});

const scope: fc.Arbitrary<Scope> = fc.oneof(
  fc.constant<Scope>({ type: "all" }),
  fc.constant<Scope>({ type: "namespace", namespace: "n1" }),
  fc.constant<Scope>({ type: "key", key: "n1/1" }),
);

test("a selection by an index is the selection by a walk, limited or not", () => {
  const many = Array.from({ length: 1200 }, (_, i) => ({
    key: `n${i % 3}/${i}`,
    revision: 1,
    size: 1,
    values: { color: i % 100 === 0 ? "red" : "blue", size: i % 7 === 0 ? "s" : "m" },
  }));
  const collection = createCollection<Thing>(many, 1, options);
  const limit = fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined });
  fc.assert(
    fc.property(fc.array(term, { minLength: 1, maxLength: 2 }), scope, limit, (terms, at, most) => {
      const matches = (item: Thing): boolean => terms.every((t) => fulfils(item, t));
      const query = { scope: at, matches, ...(most === undefined ? {} : { limit: most }) };
      assert.deepEqual(collection.select({ ...query, terms }), collection.select(query));
    }),
  );
});

test("the count of a scope follows every change", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const items = new Map<string, Thing>();
      const collection = createCollection<Thing>([], 0, options);
      steps.forEach((made, i) => {
        const change = changeOf(items, i + 1, made);
        if (change !== undefined) collection.apply(change);
      });
      for (const at of [
        { type: "all" },
        { type: "namespace", namespace: "n1" },
        { type: "key", key: "n1/1" },
      ] as const) {
        assert.equal(collection.count(at), collection.select({ scope: at }).items.length);
      }
    }),
  );
});

test("who watches one value sees what a watcher of everything sees of it", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), scope, (steps, at) => {
      const feeds = createFeeds<Thing>(valueAt);
      const seen: Record<"exact" | "walk", string[]> = { exact: [], walk: [] };
      const watch = (into: "exact" | "walk"): Interest<Thing> => ({
        id: into,
        scope: at,
        matches: (item) => item.values["color"] === "red",
        ...(into === "exact" ? { exact: { path: "color", value: "red" } } : {}),
        encode: (type, item, revision) => {
          seen[into].push(`${type} ${item.key}@${revision}`);
          return Buffer.from("x");
        },
      });
      const leave = feeds.join(watch("exact"), { deliver: () => {} });
      feeds.join(watch("walk"), { deliver: () => {} });
      const items = new Map<string, Thing>();
      steps.forEach((made, i) => {
        const change = changeOf(items, i + 1, made);
        if (change !== undefined) feeds.publish(change, 0);
      });
      assert.deepEqual(seen.exact, seen.walk);
      leave();
      const before = seen.exact.length;
      const item = { key: "n1/1", revision: 99, size: 1, values: { color: "red" } };
      feeds.publish({ key: "n1/1", revision: 99, item, previous: undefined }, 0);
      assert.equal(seen.exact.length, before);
    }),
  );
});

test("a whole scope that is asked for again is as it is now, whatever changed between", () => {
  const items = new Map<string, Thing>();
  const many = Array.from({ length: 1200 }, (_, i) => ({ key: `n${i % 3}/${i}`, revision: 1, size: 1, values: {} }));
  for (const item of many) items.set(item.key, item);
  const collection = createCollection<Thing>(many, 1, options);
  let revision = 1;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 5 }), scope, (steps, at) => {
      for (const made of steps) {
        const change = changeOf(items, ++revision, made);
        if (change !== undefined) collection.apply(change);
      }
      const expected = [...items.values()].filter(({ key }) => inScope(at, key));
      expected.sort((a, b) => (a.key < b.key ? -1 : 1));
      for (let i = 0; i < 2; i++) assert.deepEqual(collection.select({ scope: at }).items, expected);
    }),
  );
});
