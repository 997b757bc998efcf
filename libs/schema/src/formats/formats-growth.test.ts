import assert from "node:assert/strict";
import { test } from "node:test";
import { assertLinear } from "@orch/status/testing/growth.js";
import { formatDuration, parseDuration } from "./duration.js";
import { parseAddress, parseNetwork } from "./ip.js";
import * as names from "./names.js";
import { canonicalQuantity } from "./quantity.js";
import { canonicalMicroTime } from "./time.js";

const { portNumber: _port, fileMode: _mode, ...ofTexts } = names;
const checks: Readonly<Record<string, (text: string) => unknown>> = {
  quantity: canonicalQuantity,
  duration: parseDuration,
  time: canonicalMicroTime,
  address: parseAddress,
  network: parseNetwork,
  ...ofTexts,
};

/** What is repeated, and what stands around it, so that the text is nearly right to its end. */
const texts: readonly (readonly [begin: string, repeated: string, end: string])[] = [
  ["", "1", "x"],
  ["1.", "1", "x"],
  ["0.", "0", "1"],
  ["", "1", "Ki"],
  ["1e", "9", ""],
  ["", "a", "!"],
  ["", "a.", "!"],
  ["a", "-", "!"],
  ["", "1h", "!"],
  ["2026-01-01T00:00:00.", "1", "X"],
  ["1:", "1:", "x"],
  ["a.io/", "/", "!"],
];

for (const [name, check] of Object.entries(checks)) {
  test(`a text for ${name} costs as much as it is long`, () => {
    for (const [begin, repeated, end] of texts) {
      assertLinear(40_000, (n) => {
        const text = begin + repeated.repeat(n) + end;
        return () => {
          try {
            check(text);
          } catch (error) {
            assert.fail(String(error));
          }
        };
      });
    }
  });
}

test("digits that are too many to count are read all the same", () => {
  const [zeros, nines] = ["0".repeat(1000), "9".repeat(1000)];
  assert.deepEqual(canonicalQuantity(`${zeros}5`), { text: "5" });
  assert.deepEqual(canonicalQuantity(`1.${zeros}`), { text: "1" });
  assert.deepEqual(canonicalQuantity(`1.${zeros}1`), { text: "1000000001n" });
  assert.deepEqual(canonicalQuantity(`0.${zeros}1`), { text: "1n" });
  assert.deepEqual(canonicalQuantity(`0.${zeros}1Ki`), { text: "1n" });
  assert.deepEqual(canonicalQuantity(nines), { text: "9223372036854775807" });
  assert.deepEqual(canonicalQuantity(`1${zeros}e-1000`), { text: "1" });
  assert.equal(formatDuration(parseDuration(`${zeros}1.5${zeros}s`) ?? 0n), "1.5s");
  assert.equal(parseDuration(`${nines}ns`), undefined);
  for (const bad of ["", "+", ".s", "1", "1.", "1s.", "1s2", "s", "1 s"])
    assert.equal(parseDuration(bad), undefined, bad);
});
