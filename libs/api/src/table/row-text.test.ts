import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import fc from "fast-check";
import type { Cell } from "./cell.js";
import { humanDuration, untilOtherwise } from "./human-duration.js";
import { partialMetadata } from "./partial-metadata.js";
import { cellsAt, printedUntil, printRow, rowText } from "./row-text.js";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

for (const [milliseconds, text] of [
  [-2 * second, "<invalid>"],
  [-2 * second + 1, "0s"],
  [-1, "0s"],
  [0, "0s"],
  [999, "0s"],
  [5 * second, "5s"],
  [2 * minute - 1, "119s"],
  [2 * minute, "2m"],
  [2 * minute + 3 * second, "2m3s"],
  [10 * minute - 1, "9m59s"],
  [10 * minute + 59 * second, "10m"],
  [3 * hour - 1, "179m"],
  [3 * hour, "3h"],
  [3 * hour + 5 * minute, "3h5m"],
  [8 * hour - 1, "7h59m"],
  [8 * hour + 59 * minute, "8h"],
  [2 * day - 1, "47h"],
  [2 * day, "2d"],
  [2 * day + 3 * hour, "2d3h"],
  [8 * day - 1, "7d23h"],
  [8 * day, "8d"],
  [2 * year - 1, "729d"],
  [2 * year, "2y"],
  [2 * year + 45 * day, "2y45d"],
  [8 * year - 1, "7y364d"],
  [8 * year + 300 * day, "8y"],
] as const) {
  test(`${milliseconds} ms are ${text}`, () => assert.equal(humanDuration(milliseconds), text));
}

const durations = fc.oneof(
  ...[10 * second, 10 * minute, 10 * hour, 10 * day, 10 * year].map((max) => fc.integer({ min: -5 * second, max })),
);

test("an age is told the same until it is told otherwise", () => {
  fc.assert(
    fc.property(durations, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (age, part) => {
      const until = untilOtherwise(age);
      assert.ok(until > 0);
      assert.equal(humanDuration(age + Math.floor(part * until)), humanDuration(age));
    }),
  );
});

for (const age of [-5 * second, 0, 5 * minute, hour, 5 * hour, day, 5 * day, 100 * day, 5 * year, 9 * year]) {
  test(`an age of ${age} ms is told otherwise when it is said to be`, () => {
    // A clock in the future tells 0s for two seconds more, one of them as an age.
    const next = age + untilOtherwise(age);
    assert.notEqual(humanDuration(next), humanDuration(next - 1));
  });
}

const now = Date.parse("2026-01-02T03:04:05Z");
const texts = fc.string({ unit: "binary" });
const ages = fc.record({ since: durations.map((age) => now - age), before: texts, after: texts });
const cells: fc.Arbitrary<readonly Cell[]> = fc.array(
  fc.oneof(texts, ages, fc.integer(), fc.boolean(), fc.constant(null)),
);
const conditions = fc.array(fc.record({ type: texts, status: texts, reason: texts, message: texts }), { maxLength: 2 });

test("a printed row is the JSON of its cells and conditions, open for its object", () => {
  fc.assert(
    fc.property(cells, conditions, (cells, conditions) => {
      const row = { cells, conditions };
      const printed: unknown = JSON.parse(`${printRow(rowText(row), now)}null}`);
      const expected = {
        cells: cellsAt(row, now),
        ...(conditions.length === 0 ? {} : { conditions }),
        object: null,
      };
      assert.equal(`${printRow(rowText(row), now)}null}`, JSON.stringify(expected));
      assert.deepEqual(printed, JSON.parse(JSON.stringify(expected)));
    }),
  );
});

test("a printed row is good until the first of its ages is told otherwise", () => {
  const row = (...since: number[]) =>
    rowText({ cells: since.map((at) => ({ since: at, before: "", after: "" })), conditions: [] });
  assert.equal(printedUntil(row(), now), Number.POSITIVE_INFINITY);
  assert.equal(printedUntil(row(now - 9 * day), now), now + day);
  assert.equal(printedUntil(row(now - 9 * day, now - 5 * second - 400), now), now + 600);
});

test("an object's metadata alone", () => {
  const object = { kind: "Pod", apiVersion: "v1", metadata: { name: "a", labels: { b: "c" } }, spec: {} };
  const kind = "PartialObjectMetadata";
  const { metadata } = object;
  const kubernetes = createNaming("kubernetes");
  assert.deepEqual(partialMetadata(object, kubernetes), { kind, apiVersion: "meta.k8s.io/v1", metadata });
  assert.equal(partialMetadata(object, kubernetes, "v1beta1").apiVersion, "meta.k8s.io/v1beta1");
});
