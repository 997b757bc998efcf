import assert from "node:assert/strict";
import { test } from "node:test";
import { enoughFeasible } from "./sample.js";

const rows: readonly (readonly [nodes: number, percentage: number, enough: number])[] = [
  [50, 0, 50],
  [99, 0, 99],
  [100, 0, 100],
  [500, 0, 230],
  [1000, 0, 420],
  [5000, 0, 500],
  [6000, 0, 300],
  [15000, 0, 750],
  [500, 30, 150],
  [200, 30, 100],
  [5000, 30, 1500],
  [5000, 100, 5000],
];
for (const [nodes, percentage, enough] of rows) {
  test(`of ${nodes} nodes, at ${percentage} percent, ${enough} that fit are enough`, () => {
    assert.equal(enoughFeasible(nodes, percentage), enough);
  });
}
