import assert from "node:assert/strict";
import { test } from "node:test";
import { createUnderWay } from "./under-way.js";

test("what is taken is gone, and the rest stays", () => {
  const calls = createUnderWay<string>();
  calls.set(1, "a");
  calls.set(2, "b");
  assert.deepEqual(
    [calls.size, calls.get(1), calls.take(1), calls.take(1), calls.get(1)],
    [2, "a", "a", undefined, undefined],
  );
  assert.deepEqual([calls.size, calls.entries()], [1, [[2, "b"]]]);
});

test("calls may be taken while they are looked at, in the order in which they came", () => {
  const calls = createUnderWay<number>();
  for (let id = 1; id <= 50; id++) calls.set(id, id * 2);
  const seen = calls.entries().map(([id]) => calls.take(id));
  assert.deepEqual([seen, calls.size], [Array.from({ length: 50 }, (_, i) => (i + 1) * 2), 0]);
});
