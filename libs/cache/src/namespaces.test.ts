import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Change } from "./change.js";
import { type Collection, createCollection } from "./collection.js";
import { createFeeds } from "./feeds.js";
import { namespacesOf } from "./namespaces.js";
import { inScope, type Scope } from "./selection.js";

interface Thing {
  readonly key: string;
  readonly revision: number;
  readonly size: number;
  readonly color: string;
}

const names = ["a", "a-b", "a0", "b", "b-", "c"];
const colors = ["red", "green", "blue"];
const valueAt = (thing: Thing, path: string): string | undefined => (path === "color" ? thing.color : undefined);
const namespaces = fc.subarray(names).map((some) => ({ type: "namespaces", namespaces: namespacesOf(some) }) as const);

/** More than are always walked. */
function collectionOf(count: number): Collection<Thing> {
  const things = Array.from({ length: count }, (_, i) => ({
    key: `${names[i % names.length] ?? ""}/${String(i).padStart(4, "0")}`,
    revision: 1,
    size: 1,
    color: colors[i % colors.length] ?? "",
  }));
  return createCollection(things, 1, { keepMs: 60_000, maxBytes: 1e6, now: () => 0, valueAt });
}

const wanted = fc.option(fc.subarray(colors, { minLength: 1 }), { nil: undefined });

/** What a walk over everything finds. */
function naive(collection: Collection<Thing>, scope: Scope, chosen: readonly string[] | undefined): readonly Thing[] {
  const all = collection.select({ scope: { type: "all" } }).items;
  return all.filter(({ key, color }) => inScope(scope, key) && (chosen?.includes(color) ?? true));
}

test("several namespaces, alternatives, pages and states of before show what a filter of everything shows", () => {
  fc.assert(
    fc.property(namespaces, wanted, fc.integer({ min: 1, max: 400 }), fc.boolean(), (scope, chosen, limit, later) => {
      const collection = collectionOf(600);
      const expected = naive(collection, scope, chosen);
      collection.keep();
      const change = { key: "a/0000", revision: 2, item: undefined, previous: collection.get("a/0000") };
      if (later) collection.apply(change);
      const state = collection.at(1);
      assert.ok(state !== undefined);
      const alternatives = (chosen ?? []).map((color) => [{ path: "color", values: [color] }]);
      const query =
        chosen === undefined
          ? { scope }
          : { scope, alternatives, matches: ({ color }: Thing): boolean => chosen.includes(color) };
      assert.deepEqual(state.select(query).items, expected);
      if (chosen === undefined) assert.equal(state.count(scope), expected.length);
      const paged: Thing[] = [];
      for (let more = true; more; ) {
        const last = paged.at(-1)?.key;
        const page = state.select({ ...query, limit, ...(last === undefined ? {} : { after: last }) });
        paged.push(...page.items);
        more = page.more;
      }
      assert.deepEqual(paged, expected);
    }),
    { numRuns: 300 },
  );
});

test("watchers of several namespaces are told of those alone, and leave nothing behind", () => {
  const feeds = createFeeds<Thing>(valueAt);
  const told: string[] = [];
  const scope: Scope = { type: "namespaces", namespaces: namespacesOf(["a-b", "c"]) };
  const leave = feeds.join(
    {
      ...{ id: "x", scope, matches: () => true },
      encode: (type, { key }) => Buffer.from(`${type} ${key} `),
    },
    { deliver: ({ frames }) => void told.push(frames.toString()) },
  );
  const change = (key: string): Change<Thing> => {
    const item = { key, revision: 1, size: 1, color: "red" };
    return { key, revision: 1, item, previous: undefined };
  };
  const publish = (): void => {
    for (const key of ["a/1", "a-b/1", "b/1", "c/1"]) feeds.publish(change(key), 0);
    feeds.flush();
  };
  publish();
  assert.deepEqual(told, ["ADDED a-b/1 ADDED c/1 "]);
  leave();
  publish();
  assert.deepEqual([told.length, feeds.watchers], [1, 0]);
});
