import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Item } from "./change.js";
import { createCollection } from "./collection.js";
import type { Scope, Selection } from "./selection.js";

interface Thing extends Item {
  readonly color: string;
}

const valueAt = (item: Thing, path: string): string | undefined => (path === "color" ? item.color : undefined);
const timeless = { keepMs: 1000, maxBytes: 1e9, now: () => 0, valueAt };
const all: Scope = { type: "all" };

/** A collection that numbers its changes, and tells them in one line. */
function collectionOf(options: Partial<typeof timeless> = {}) {
  const collection = createCollection<Thing>([], 0, { ...timeless, ...options });
  let revision = 0;
  const apply = (key: string, color: string): void => {
    const previous = collection.get(key);
    if (color === "" && previous === undefined) return;
    revision += 1;
    const item = color === "" ? undefined : { key, revision, color, size: 10 };
    collection.apply({ revision, key, item, previous });
  };
  const keysAt = (at: number): string | undefined =>
    collection
      .at(at)
      ?.select({ scope: all })
      .items.map((i) => i.key)
      .join("");
  return { collection, apply, keysAt, revision: () => revision };
}

test("the state is known from its last change on, and an earlier one only where it was to be kept", () => {
  const { collection, apply, keysAt } = collectionOf();
  for (const key of ["a", "b", "c"]) apply(key, "red");
  assert.equal(keysAt(3), "abc");
  assert.equal(keysAt(7), "abc", "nothing of this collection changed since");
  assert.equal(keysAt(2), undefined);
  collection.keep();
  apply("b", "");
  assert.equal(keysAt(4), "ac");
  assert.equal(keysAt(3), "abc");
  apply("d", "red");
  assert.equal(keysAt(4), undefined, "nobody wished for it");
  assert.equal(keysAt(3), "abc");
});

test("kept states are dropped by age, by number and by the bytes that only they hold", () => {
  let now = 0;
  const aged = collectionOf({ now: () => now, keepMs: 100 });
  aged.apply("a", "red");
  aged.collection.keep();
  aged.apply("b", "red");
  now = 99;
  assert.equal(aged.keysAt(1), "a");
  now = 100;
  assert.equal(aged.keysAt(1), undefined);
  aged.collection.keep();
  now = 250;
  aged.collection.trim();
  aged.apply("c", "red");
  assert.equal(aged.keysAt(2), undefined, "the wish was over before the change came");

  const many = collectionOf();
  for (let i = 0; i < 12; i++) {
    many.apply("a", `color ${i}`);
    many.collection.keep();
  }
  many.apply("a", "last");
  assert.deepEqual(
    Array.from({ length: 13 }, (_, i) => (many.keysAt(i + 1) === undefined ? "-" : "a")).join(""),
    "----aaaaaaaaa",
  );

  const heavy = collectionOf({ maxBytes: 25 });
  for (const key of ["a", "b", "c"]) heavy.apply(key, "red");
  heavy.collection.keep();
  for (const key of ["a", "a", "a", "b"]) heavy.apply(key, "blue");
  assert.equal(heavy.keysAt(3), "abc", "what came after it is not its own");
  heavy.apply("c", "blue");
  assert.equal(heavy.keysAt(3), undefined);
});

const color = fc.constantFrom("red", "blue", "");
/** Of those that come, and of those that are there from the beginning. */
const someKey = fc.oneof(fc.nat(400), fc.integer({ min: 1000, max: 1700 }));
const step = fc.record({ key: someKey, color, keep: fc.boolean() });
const query = fc.record({
  scope: fc.constantFrom<Scope>(all, { type: "namespace", namespace: "n1" }, { type: "key", key: "n2/5" }),
  color: fc.option(fc.constantFrom("red", "blue"), { nil: undefined }),
  after: fc.option(
    someKey.map((n) => keyOf(n)),
    { nil: undefined },
  ),
  limit: fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined }),
});
const keyOf = (n: number): string => `n${n % 3}/${n}`;

/** The answer as a filter over all items gives it. */
function naive(items: readonly Thing[], { scope, matches, after, limit }: Selection<Thing>) {
  const found = items
    .filter(({ key }) => scope.type === "all" || key === (scope.type === "key" ? scope.key : key))
    .filter(({ key }) => scope.type !== "namespace" || key.startsWith(`${scope.namespace}/`))
    .filter((item) => (matches?.(item) ?? true) && (after === undefined || item.key > after))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const items_ = found.slice(0, limit);
  return { items: items_, more: items_.length < found.length };
}

test("every state that is known answers every selection as a filter over its items does", () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 60 }),
      fc.array(query, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      fc.constantFrom(1e9, 3000),
      (steps, queries, large, maxBytes) => {
        const { collection, apply, revision } = collectionOf({ maxBytes });
        // Enough for an index to be asked.
        if (large) for (let i = 0; i < 700; i++) apply(keyOf(1000 + i), i % 50 === 0 ? "red" : "blue");
        const history = new Map<number, readonly Thing[]>();
        for (const { key, color: made, keep } of steps) {
          apply(keyOf(key), made);
          history.set(revision(), collection.select({ scope: all }).items);
          if (keep) collection.keep();
        }
        for (const [at, items] of history) {
          const state = collection.at(at);
          if (state === undefined) continue;
          assert.equal(state.count(all), items.length);
          for (const { scope, color: wanted, after, limit } of queries) {
            const selection: Selection<Thing> = {
              scope,
              ...(after === undefined ? {} : { after }),
              ...(limit === undefined ? {} : { limit }),
              ...(wanted === undefined
                ? {}
                : { matches: (item) => item.color === wanted, terms: [{ path: "color", values: [wanted] }] }),
            };
            assert.deepEqual(state.select(selection), naive(items, selection));
            assert.equal(state.count(scope), naive(items, { scope }).items.length);
          }
          assert.equal(
            state.get(keyOf(7)),
            items.find(({ key }) => key === keyOf(7)),
          );
        }
        assert.ok(collection.at(revision()) !== undefined);
      },
    ),
    { numRuns: 150 },
  );
});

test("a selection over a kept state looks at what an index finds and at what has changed, not at everything", () => {
  const { collection, apply, revision } = collectionOf();
  for (let i = 0; i < 5000; i++) apply(keyOf(i), i % 100 === 0 ? "red" : "blue");
  collection.keep();
  const at = revision();
  const changed = [
    [100, "blue"],
    [7, "red"],
    [300, ""],
    [9000, "red"],
    [7, "blue"],
    [300, "red"],
  ] as const;
  for (const [key, to] of changed) apply(keyOf(key), to);
  let looks = 0;
  const matches = (item: Thing): boolean => {
    looks += 1;
    return item.color === "red";
  };
  const state = collection.at(at);
  const found = state?.select({ scope: all, matches, terms: [{ path: "color", values: ["red"] }], limit: 30 });
  const expected = Array.from({ length: 50 }, (_, i) => keyOf(i * 100)).sort();
  assert.deepEqual(
    found?.items.map(({ key }) => key),
    expected.slice(0, 30),
  );
  assert.equal(found?.more, true);
  assert.equal(looks, 51, "those that are red still, and three that have changed and were there");
});
