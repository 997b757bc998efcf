import assert from "node:assert/strict";
import { test } from "node:test";
import { createPreciseClock } from "./clock.js";

test("the time of day has fractions, and follows the machine's clock when that is set", () => {
  let elapsed = 0;
  let wall = 5000;
  const now = createPreciseClock({ origin: 5000.25, elapsed: () => elapsed, wall: () => wall });
  // elapsed, the machine's clock in whole milliseconds, what is told
  const rows = [
    [0, 5000, 5000.25],
    [1.5, 5001, 5001.75],
    [100.125, 5100, 5100.375],
    [101, 9000, 9000],
    [102.5, 9001, 9001.5],
    [103, 4000, 4000],
    [104.25, 4001, 4001.25],
  ] as const;
  for (const [at, machine, told] of rows) {
    elapsed = at;
    wall = machine;
    assert.equal(now(), told);
  }
});
