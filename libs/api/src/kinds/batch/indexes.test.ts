import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { countOf, type Interval, parseIndexes, sharedIndex } from "./indexes.js";

for (const [text, wanted] of [
  ["", []],
  ["0", [{ first: 0, last: 0 }]],
  [
    "1,3-5,9",
    [
      { first: 1, last: 1 },
      { first: 3, last: 5 },
      { first: 9, last: 9 },
    ],
  ],
  ["10", 'too large index: "10"'],
  ["3-10", 'too large index: "10"'],
  ["a", 'cannot convert string to integer for index: "a"'],
  ["1-", 'cannot convert string to integer for index: ""'],
  ["1,,2", 'cannot convert string to integer for index: ""'],
  ["3-3", "non-increasing order, previous: 3, current: 3"],
  ["3,2", "non-increasing order, previous: 3, current: 2"],
  ["1-4,4", "non-increasing order, previous: 4, current: 4"],
  [
    "1-2-3",
    "the fragment \"1-2-3\" violates the requirement that an index interval can have at most two parts separated by '-'",
  ],
] as const) {
  test(`the indexes ${JSON.stringify(text)} of 10`, () => assert.deepEqual(parseIndexes(text, 10), wanted));
}

test("intervals count their indexes, and what two have in common is found", () => {
  const sets = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 12 });
  fc.assert(
    fc.property(sets, sets, (a, b) => {
      const [x, y] = [intervalsOf(a), intervalsOf(b)];
      assert.equal(countOf(x), a.length);
      assert.deepEqual(parseIndexes(textOf(x), 31), x);
      const common = a.filter((i) => b.includes(i));
      assert.equal(sharedIndex(x, y), common.length === 0 ? undefined : Math.min(...common));
    }),
  );
});

function intervalsOf(indexes: readonly number[]): readonly Interval[] {
  const intervals: { first: number; last: number }[] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const before = intervals.at(-1);
    if (before?.last === index - 1) before.last = index;
    else intervals.push({ first: index, last: index });
  }
  return intervals;
}

function textOf(intervals: readonly Interval[]): string {
  return intervals.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}
