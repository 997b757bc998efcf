import assert from "node:assert/strict";
import { test } from "node:test";
import { gatherWarnings } from "./gathered-warnings.js";

test("warnings of many writes are told once each, in their order", () => {
  const warnings = gatherWarnings();
  for (const some of [["b"], [], ["a", "b"], ["a"]]) warnings.add(some);
  assert.deepEqual(warnings.all, ["b", "a"]);
});

test("however many writes warn, and however long, what is kept is bounded", () => {
  const many = gatherWarnings();
  for (let i = 0; i < 5000; i++) many.add([`w${i}`]);
  assert.equal(many.all.length, 1000);
  const long = gatherWarnings();
  for (let i = 0; i < 5000; i++) long.add([`${i}${"x".repeat(4096)}`]);
  assert.equal(long.all.length, 16);
});
