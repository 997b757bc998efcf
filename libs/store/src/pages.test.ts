import assert from "node:assert/strict";
import { test } from "node:test";
import { pages, snapshot } from "./pages.js";
import { key, noRevision } from "./revision.js";
import { openEmbeddedFixture } from "./testing/embedded-fixture.js";

for (const consistent of [true, false]) {
  test(`pages show ${consistent ? "the state at the first" : "what is newest each time"}, each entry once`, async () => {
    const { store, prefix, cleanup } = await openEmbeddedFixture();
    try {
      const put = (name: string) =>
        store.swap({ key: key(prefix + name), expected: noRevision, value: Buffer.from(name) });
      for (const name of ["a", "b", "c", "d", "e"]) await put(name);
      const names: string[] = [];
      for await (const page of pages(store, { prefix: key(prefix), limit: 2, consistent })) {
        names.push(...page.entries.map((entry) => entry.value.toString()));
        if (names.length === 2) await put("cc");
      }
      assert.deepEqual(names, consistent ? ["a", "b", "c", "d", "e"] : ["a", "b", "c", "cc", "d", "e"]);
    } finally {
      await cleanup();
    }
  });
}

test("an empty prefix is one empty page", async () => {
  const { store, prefix, cleanup } = await openEmbeddedFixture();
  try {
    const sizes: number[] = [];
    for await (const page of pages(store, { prefix: key(prefix), limit: 2 })) sizes.push(page.entries.length);
    assert.deepEqual(sizes, [0]);
  } finally {
    await cleanup();
  }
});

for (const ahead of [0, 1, 5]) {
  test(`a snapshot that reads ${ahead} pages ahead begins before anybody asks, and ends when nobody does`, async () => {
    const { store, prefix, cleanup } = await openEmbeddedFixture();
    try {
      const put = (name: string) =>
        store.swap({ key: key(prefix + name), expected: noRevision, value: Buffer.alloc(100, name) });
      const names = Array.from({ length: 700 }, (_, i) => `k${String(i).padStart(4, "0")}`);
      await Promise.all(names.map(put));
      let asked = 0;
      const range: typeof store.range = (query) => {
        asked++;
        return store.range(query);
      };
      const query = { prefix: key(prefix), pageBytes: 2_000, ahead };
      const left = snapshot({ ...store, range }, query);
      assert.equal(asked, 1);
      await put("late");
      const found: string[] = [];
      for await (const { entries } of left) {
        found.push(...entries.map((entry) => entry.key.slice(prefix.length)));
        const taken = 1 + Math.ceil((found.length - 500) / 20);
        assert.ok(asked <= taken + ahead + 1, `${asked} pages were asked for when ${taken} were taken`);
      }
      assert.deepEqual(
        found.filter((name) => name !== "late"),
        names,
      );
      // The entry that came late may be in it or not.
      assert.ok([11, 12].includes(asked), `${asked} pages`);
    } finally {
      await cleanup();
    }
  });
}

test("a snapshot has every entry once, as it was at its first page, in pages of about so many bytes", async () => {
  const { store, prefix, cleanup } = await openEmbeddedFixture();
  try {
    const put = (name: string) =>
      store.swap({ key: key(prefix + name), expected: noRevision, value: Buffer.alloc(1000, name) });
    const names = Array.from({ length: 1200 }, (_, i) => `k${String(i).padStart(4, "0")}`);
    await Promise.all(names.map(put));
    const sizes: number[] = [];
    const found: string[] = [];
    for await (const { entries } of snapshot(store, { prefix: key(prefix), pageBytes: 300_000 })) {
      if (sizes.length === 0) await put("late");
      sizes.push(entries.length);
      found.push(...entries.map((entry) => entry.key.slice(prefix.length)));
    }
    assert.deepEqual(found, names);
    assert.deepEqual(sizes, [500, 300, 300, 100]);
  } finally {
    await cleanup();
  }
});
