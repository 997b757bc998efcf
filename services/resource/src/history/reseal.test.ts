import assert from "node:assert/strict";
import { test } from "node:test";
import { openMemoryStore } from "@orch/store/memory/memory-store.js";
import { isReadable, type NoteSpace } from "@orch/store/notes.js";
import { type Key, key, noRevision } from "@orch/store/revision.js";
import type { Store } from "@orch/store/store.js";
import { marking } from "@orch/store/testing/transformers.js";
import { type Transformer, transformed } from "@orch/store/transformed.js";
import { type Resealed, resealStep } from "./reseal.js";

const root = "/o/";
const maps = key("/o/maps/");

/** Seals with the key of today, and opens by those that are given. */
function ring(keys: readonly string[]): Transformer {
  const today = marking(() => keys[0] ?? "");
  return {
    seal: today.seal,
    open(stored, at) {
      const known = keys.includes(stored.toString("utf8", 0, stored.indexOf(":")));
      return known ? today.open(stored, at) : { type: "damaged", why: "no key opens it", sealed: true };
    },
  };
}

async function put(store: Store, path: string, space: NoteSpace = "states"): Promise<void> {
  const at = key(root + path);
  const note = { space, key: key(`${at}\0note`), value: Buffer.from(`of ${path}`) };
  assert.ok((await store.swap({ key: at, expected: noRevision, value: Buffer.from("x"), note })).done);
}

async function stored(below: Store, prefix: Key = maps): Promise<readonly string[]> {
  const all = await Promise.all((["states", "deleted"] as const).map((space) => below.notes.range({ space, prefix })));
  return all.flat().map((note) => (isReadable(note) ? note.value.toString() : note.why));
}

async function all(store: Store, { prefix = maps, limit = 2 } = {}): Promise<readonly Resealed[]> {
  const steps: Resealed[] = [];
  let token = "";
  do {
    const step = await resealStep(store.notes, { root, prefix, limit, token });
    steps.push(step);
    token = step.next;
  } while (token !== "");
  return steps;
}

const sum = (steps: readonly Resealed[]) => ({
  records: steps.reduce((total, { records }) => total + records, 0),
  rewritten: steps.reduce((total, { rewritten }) => total + rewritten, 0),
  unreadable: steps.reduce((total, { unreadable }) => total + unreadable, 0),
});

test("what older keys sealed is sealed with the one of today, in both spaces, and once", async () => {
  const below = await openMemoryStore({ prefix: root });
  const before = transformed(below, ring(["old"]));
  for (const name of ["a", "b", "c"]) await put(before, `maps/${name}`);
  await put(before, "maps/gone", "deleted");
  await put(before, "others/z");
  const now = transformed(below, ring(["new", "old"]));
  await put(now, "maps/d");
  assert.deepEqual(sum(await all(now)), { records: 5, rewritten: 4, unreadable: 0 });
  assert.deepEqual(
    await stored(below),
    ["a", "b", "c", "d", "gone"].map((name) => `new:of maps/${name}`),
  );
  assert.deepEqual(await stored(below, key("/o/others/")), ["old:of others/z"]);
  assert.deepEqual(sum(await all(now)), { records: 5, rewritten: 0, unreadable: 0 });
  // The old key may go now.
  const later = transformed(below, ring(["new"]));
  assert.equal(sum(await all(later)).unreadable, 0);
});

test("what no key opens is counted, stays as it is, and keeps nothing else from being written", async () => {
  const below = await openMemoryStore({ prefix: root });
  await put(transformed(below, ring(["lost"])), "maps/a");
  await put(transformed(below, ring(["old"])), "maps/b");
  assert.deepEqual(sum(await all(transformed(below, ring(["new", "old"])))), {
    ...{ records: 2, rewritten: 1, unreadable: 1 },
  });
  assert.deepEqual(await stored(below), ["lost:of maps/a", "new:of maps/b"]);
});

test("a token leads on where records were removed meanwhile, in its scope alone", async () => {
  const below = await openMemoryStore({ prefix: root });
  const store = transformed(below, ring(["new"]));
  for (const name of ["a/1", "a/2", "a/3", "b/1"]) await put(store, `maps/${name}`);
  const [first] = await all(store);
  assert.ok(first);
  await store.notes.remove(
    "states",
    ["a/1", "a/2"].map((name) => key(`/o/maps/${name}\0note`)),
  );
  const then = await resealStep(store.notes, { root, prefix: maps, limit: 10, token: first.next });
  assert.equal(then.records, 2);
  const wrong = [
    { prefix: key("/o/maps/b/"), token: first.next },
    { prefix: maps, token: Buffer.from("other maps/a").toString("base64url") },
    { prefix: maps, token: Buffer.from("states").toString("base64url") },
    { prefix: maps, token: "%" },
    { prefix: maps, token: "x".repeat(10_000) },
  ];
  for (const one of wrong)
    await assert.rejects(resealStep(store.notes, { root, limit: 1, ...one }), /continue key is not valid/);
});

test("a record that is removed while its step is under way does not come back", async () => {
  const below = await openMemoryStore({ prefix: root });
  await put(transformed(below, ring(["old"])), "maps/a");
  const now = transformed(below, ring(["new", "old"]));
  const notes = {
    ...now.notes,
    async range(query: Parameters<typeof now.notes.range>[0]) {
      const page = await now.notes.range(query);
      await now.notes.remove(
        "states",
        page.map((note) => note.key),
      );
      return page;
    },
  };
  await resealStep(notes, { root, prefix: maps, limit: 10, token: "" });
  assert.deepEqual(await stored(below), []);
});
