import assert from "node:assert/strict";
import { test } from "node:test";
import { secondsOf, stepAt } from "./cluster-size.js";

const rows: readonly (readonly [sizes: readonly number[], seconds: number])[] = [
  [[1], 0],
  [[100], 0],
  [[101], 15],
  [[101, 95], 15],
  [[101, 89], 0],
  [[501], 30],
  [[1001], 60],
  [[1001, 950], 60],
  [[1001, 899], 30],
  [[2001], 300],
  [[10_001], 600],
  [[10_001, 9500], 600],
  [[10_001, 10], 0],
];
for (const [sizes, seconds] of rows) {
  test(`agents of a cluster of ${sizes.join(", then ")} nodes keep what they read for ${seconds} s`, () => {
    assert.equal(secondsOf(sizes.reduce((step, nodes) => stepAt(nodes, step), 0)), seconds);
  });
}
