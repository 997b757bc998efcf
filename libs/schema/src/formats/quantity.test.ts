import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalQuantity, compareQuantities, formatQuantity, parseQuantity, roundUpToMilli } from "./quantity.js";

for (const [text, canonical] of [
  ["0", "0"],
  ["0Gi", "0"],
  ["1000m", "1"],
  ["1500m", "1500m"],
  ["1.5", "1500m"],
  ["1000", "1k"],
  ["1500", "1500"],
  ["1024", "1024"],
  ["1024Mi", "1Gi"],
  ["0.5Gi", "512Mi"],
  ["0.5Ki", "512"],
  ["1.5Ki", "1536"],
  ["-1.5Gi", "-1536Mi"],
  ["1e3", "1e3"],
  ["12E6", "12e6"],
  ["1e4", "10e3"],
  ["100u", "100u"],
  ["0.1n", "1n"],
  ["+5", "5"],
  [".5", "500m"],
  ["5.", "5"],
  ["1E", "1E"],
  ["0.0000000001", "1n"],
  ["99999999999999999999", "99999999999999999999"],
  ["9999999999Gi", "9223372036854775807"],
  ["250Mi", "250Mi"],
] as const) {
  test(`the quantity ${text} is written ${canonical}`, () => {
    assert.deepEqual(canonicalQuantity(text), { text: canonical });
  });
}

const pattern = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
for (const [text, wrong] of [
  ["", pattern],
  ["zz", pattern],
  ["1 Gi", pattern],
  ["1Gx", pattern],
  ["1ee", "unable to parse quantity's suffix"],
  ["1Kii", "unable to parse quantity's suffix"],
  ["1e", "unable to parse quantity's suffix"],
] as const) {
  test(`${JSON.stringify(text)} is no quantity`, () => assert.deepEqual(canonicalQuantity(text), { wrong }));
}

test("a huge exponent costs nothing", () => {
  assert.deepEqual(canonicalQuantity("1e999999999"), { text: "9223372036854775807" });
  assert.deepEqual(canonicalQuantity("1e-999999999"), { text: "1e-9" });
});

const quantity = fc
  .tuple(
    fc.integer({ min: -99999, max: 99999 }),
    fc.constantFrom("", "n", "u", "m", "k", "M", "G", "Ki", "Mi", "Gi", "e2", "e-3"),
  )
  .map(([n, suffix]) => `${n}${suffix}`);

test("writing keeps the value and is stable", () => {
  fc.assert(
    fc.property(quantity, (text) => {
      const parsed = parseQuantity(text);
      assert.ok(typeof parsed !== "string");
      const written = formatQuantity(parsed);
      assert.equal(compareQuantities(text, written), 0);
      assert.deepEqual(canonicalQuantity(written), { text: written });
    }),
  );
});

test("quantities have one order", () => {
  fc.assert(
    fc.property(quantity, quantity, quantity, (a, b, c) => {
      assert.equal(compareQuantities(a, b), -compareQuantities(b, a) + 0);
      if (compareQuantities(a, b) <= 0 && compareQuantities(b, c) <= 0) assert.ok(compareQuantities(a, c) <= 0);
    }),
  );
});

test("resource lists keep whole thousandths, rounded up", () => {
  assert.equal(roundUpToMilli("100u"), "1m");
  assert.equal(roundUpToMilli("1.0001"), "1001m");
  assert.equal(roundUpToMilli("100m"), "100m");
});
