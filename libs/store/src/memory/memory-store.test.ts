import assert from "node:assert/strict";
import { test } from "node:test";
import { storeConformance } from "../conformance/conformance.js";
import { noRevision } from "../revision.js";
import { drive } from "../testing/drive.js";
import { openMemoryFixture } from "../testing/memory-fixture.js";

storeConformance({ name: "the store in memory", open: openMemoryFixture });

test("a list of the store in memory is of one moment, whatever is written meanwhile", async () => {
  const { store, prefix } = await openMemoryFixture();
  const d = drive(store, prefix);
  const first = await Promise.all(Array.from({ length: 500 }, (_, i) => d.put(`k${i}`, 0, "before")));
  const listing = store.range({ prefix: d.prefix });
  await Promise.all(first.map((at, i) => d.put(`k${i}`, at, "after")));
  await store.swap({ key: d.key("another"), expected: noRevision, value: Buffer.from("after") });
  const values = new Set((await listing).entries.map(({ value }) => value.toString()));
  assert.deepEqual([...values], ["before"]);
  assert.equal((await store.range({ prefix: d.prefix })).count, 501);
  await store.close();
});
