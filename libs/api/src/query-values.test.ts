import assert from "node:assert/strict";
import { test } from "node:test";
import { isTrue, wholeNumber } from "./query-values.js";

const numbers: readonly (readonly [text: string | null | undefined, number | undefined])[] = [
  [undefined, undefined],
  [null, undefined],
  ["0", 0],
  ["-0", 0],
  ["007", 7],
  ["+5", 5],
  ["-3", -3],
  ["9007199254740991", Number.MAX_SAFE_INTEGER],
  ["9223372036854775807", Number.MAX_SAFE_INTEGER],
  ["-9223372036854775808", Number.MIN_SAFE_INTEGER],
];

for (const [text, number] of numbers) {
  test(`${text} is ${number}`, () => assert.ok(wholeNumber(text) === number));
}

const refused = [
  ["", "invalid syntax"],
  ["many", "invalid syntax"],
  ["1.5", "invalid syntax"],
  [" 1", "invalid syntax"],
  ["1_000", "invalid syntax"],
  ["0x10", "invalid syntax"],
  ["+", "invalid syntax"],
  ["9223372036854775808", "value out of range"],
  ["-9223372036854775809", "value out of range"],
] as const;

for (const [text, why] of refused) {
  test(`"${text}" is no whole number`, () => {
    const message = `strconv.ParseInt: parsing "${text}": ${why}`;
    assert.throws(() => wholeNumber(text), { reason: "BadRequest", message });
  });
}

test("what is not said to be false is true", () => {
  const rows = [undefined, null, "0", "false", "FALSE", "", "1", "true", "no"];
  assert.deepEqual(rows.filter(isTrue), ["", "1", "true", "no"]);
});
