import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { partOf } from "./seats.js";

const partsOf = (limit: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, slot) => partOf(limit, { slot, count }));

const rows: readonly (readonly [limit: number, count: number, parts: readonly number[]])[] = [
  [400, 1, [400]],
  [400, 2, [200, 200]],
  [200, 3, [67, 67, 66]],
  [1, 3, [1, 1, 1]],
  [0, 2, [0, 0]],
];
for (const [limit, count, parts] of rows) {
  test(`${limit} seats of ${count} workers are ${parts}`, () => assert.deepEqual(partsOf(limit, count), parts));
}

test("parts add up to the limit wherever there is a seat for each", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 64, max: 1_000_000 }), (count, limit) => {
      const parts = partsOf(limit, count);
      assert.equal(
        parts.reduce((sum, part) => sum + part, 0),
        limit,
      );
      assert.ok(Math.max(...parts) - Math.min(...parts) <= 1);
    }),
  );
});
