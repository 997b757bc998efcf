import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonText } from "./json-text.js";

const tree = (integer: unknown): unknown => ({
  a: integer,
  list: [1, "x", null, undefined, { b: integer }, [], {}],
  gone: undefined,
  "a\nkey": { deep: [integer, true, 1.5] },
});

for (const indent of [0, 2]) {
  test(`integers beyond 2^53 stand in a text as they are, the rest as JSON.stringify has it, indent ${indent}`, () => {
    const around = JSON.stringify(tree("#"), null, indent);
    for (const integer of [2n ** 63n - 1n, -(2n ** 63n), 9007199254740993n]) {
      assert.equal(jsonText(tree(integer), indent), around.replaceAll('"#"', String(integer)));
    }
    assert.equal(jsonText(tree(7), indent), around.replaceAll('"#"', "7"));
  });
}

test("a bare integer, and what is nothing", () => {
  assert.equal(jsonText(2n ** 60n), String(2n ** 60n));
  assert.equal(jsonText(undefined), "null");
});
