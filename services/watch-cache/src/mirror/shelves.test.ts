import assert from "node:assert/strict";
import { test } from "node:test";
import { revision } from "@orch/store/revision.js";
import type { CachedObject } from "../object.js";
import { createShelves } from "./shelves.js";

const history = { keepMs: 60_000, maxBytes: 1e6, now: () => 0 };
const nobody = {
  labels: undefined,
  head: undefined,
  fields: undefined,
  itemAt: 0,
  versionAt: 0,
  bytes: Buffer.from("{}"),
  size: 2,
};
const object = (key: string, at: number): CachedObject => ({ ...nobody, key, revision: at });
const known = new Set(["configmaps"]);
const isKnown = (storagePrefix: string): boolean => known.has(storagePrefix);
const everything = { scope: { type: "all" } } as const;

test("shelves of no kind go when they are empty and nobody follows them; what comes later begins anew", () => {
  const shelves = createShelves(new Map(), 5, history);
  const [gone, kept] = [shelves.of("example.com/widgets"), shelves.of("configmaps")];
  const leave = gone.feeds.join(
    { id: "1", scope: { type: "all" }, matches: () => true, encode: () => Buffer.alloc(0) },
    { deliver() {} },
  );
  shelves.drop(revision(7), isKnown);
  assert.equal(shelves.of("example.com/widgets"), gone);
  leave();
  gone.collection.apply({ revision: 8, key: "a/b", item: object("a/b", 8), previous: undefined });
  shelves.drop(revision(8), isKnown);
  assert.equal(shelves.of("example.com/widgets"), gone);
  gone.collection.apply({ revision: 9, key: "a/b", item: undefined, previous: object("a/b", 8) });
  shelves.drop(revision(9), isKnown);
  assert.equal(shelves.of("configmaps"), kept);
  const again = shelves.of("example.com/widgets");
  assert.notEqual(again, gone);
  assert.equal(again.collection.history.floor, 9);
  assert.equal([...shelves.all()].length, 2);
});

test("a collection that is remade has its objects in their new form, and no history from before", () => {
  const shelves = createShelves(new Map([["example.com/widgets", [object("a", 3)]]]), 5, history);
  const { feeds } = shelves.of("example.com/widgets");
  shelves.remake("example.com/widgets", revision(6), (objects) =>
    objects.map((one) => ({ ...one, fields: { color: "red" } })),
  );
  const shelf = shelves.of("example.com/widgets");
  assert.deepEqual(
    shelf.collection.select(everything).items.map(({ fields }) => fields),
    [{ color: "red" }],
  );
  assert.equal(shelf.collection.history.floor, 6);
  assert.equal(shelf.feeds, feeds);
  shelves.remake("example.com/gears", revision(7), () => assert.fail("there is none"));
});
