import assert from "node:assert/strict";
import { test } from "node:test";
import { tellingDifferences } from "./told-differences.js";

test("what differs is told field by field", async () => {
  const tell = tellingDifferences(true);
  assert.equal(await tell({ a: 1 }, { a: 1 }), undefined);
  const same = { a: 1 };
  assert.equal(await tell(same, same), undefined);
  assert.deepEqual(await tell({ a: 1 }, { a: 2 }), {
    changes: [{ path: ".a", operation: "changed", before: 1, after: 2 }],
  });
  assert.equal(await tell({ a: 1 }, { a: 1, kind: "A", apiVersion: "v1" }), undefined);
});

test("who may not read the object is told how many fields differ, and neither their names nor values", async () => {
  const told = await tellingDifferences(false)({ data: { secret: "treasure" } }, { data: {} });
  assert.deepEqual(told, { changedFields: 1, valuesLeftOut: true });
});

test("many fields and large values are not all told", async () => {
  const tell = tellingDifferences(true);
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, i]));
  const many = await tell({}, { of: fields(1000), ...fields(1000) });
  assert.ok(many !== undefined && "changes" in many);
  assert.deepEqual([many.changes.length, many.moreChanges], [100, true]);
  const large = "x".repeat(700_000);
  const first = await tell({ a: 0 }, { a: large });
  const second = await tell({ a: 0 }, { a: large });
  assert.deepEqual(first, { changes: [{ path: ".a", operation: "changed", before: 0, after: large }] });
  assert.deepEqual(second, { changes: [{ path: ".a", operation: "changed", valuesLeftOut: true }] });
});

test("integers that a number cannot hold are told as they are", async () => {
  const told = await tellingDifferences(true)({ a: 1n }, { a: 2n });
  assert.deepEqual(told, { changes: [{ path: ".a", operation: "changed", before: 1n, after: 2n }] });
});

test("names as long as an object are cut, and cost what they are long once", async () => {
  const name = "n".repeat(1 << 20);
  const fields = (value: number) => Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`f${i}`, value]));
  const told = await tellingDifferences(true)({ [name]: fields(1) }, { [name]: fields(2) });
  assert.ok(told !== undefined && "changes" in told);
  assert.equal(told.changes.length, 100);
  assert.ok(told.changes.every(({ path }) => path.length < 600));
});
