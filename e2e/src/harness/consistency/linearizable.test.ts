import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Operation, violation } from "./linearizable.js";

const operation = (
  type: Operation["type"],
  value: string | undefined,
  times: readonly [number, number],
): Operation => ({
  ...{ register: "r", type, value },
  ...{ invoked: times[0], completed: times[1] },
});
const write = (value: string, ...times: [number, number]): Operation => operation("write", value, times);
const read = (value: string | undefined, ...times: [number, number]): Operation => operation("read", value, times);
const never = Number.POSITIVE_INFINITY;

const refused: readonly (readonly [what: string, history: readonly Operation[], why: RegExp])[] = [
  ["a read that is older than an acknowledged write", [write("a", 0, 1), read(undefined, 2, 3)], /before all writes/],
  ["a read of an overwritten value", [write("a", 0, 1), write("b", 2, 3), read("a", 4, 5)], /b came while a was there/],
  [
    "two reads that go back in time",
    [write("a", 0, 1), write("b", 2, 9), read("b", 3, 4), read("a", 5, 6)],
    /b came while a was there/,
  ],
  ["a read of what is written only later", [read("a", 0, 1), write("a", 2, 3)], /before it was written/],
  ["a read of what nobody wrote", [write("a", 0, 1), read("x", 2, 3)], /never written/],
  [
    "two readers who see two writes in two orders",
    [...[write("a", 0, 9), write("b", 0, 9)], ...[read("a", 1, 2), read("b", 3, 4), read("a", 5, 6)]],
    /b came while a was there/,
  ],
  [
    "a write of unknown outcome that comes, goes and comes back",
    [...[write("a", 0, 1), write("b", 2, never)], ...[read("b", 3, 4), read("a", 5, 6)]],
    /b came while a was there/,
  ],
  [
    "an acknowledged write that nobody sees between two reads of another",
    [...[write("a", 0, 1), read("a", 2, 3), write("b", 4, 5), read("a", 6, 7)]],
    /b came while a was there/,
  ],
];
for (const [what, history, why] of refused) {
  test(`refuses ${what}`, () => assert.match(violation(history) ?? "it was accepted", why));
}

const accepted: readonly (readonly [what: string, history: readonly Operation[]])[] = [
  ["reads while a write is under way, old and then new", [write("a", 0, 9), read(undefined, 1, 2), read("a", 3, 4)]],
  ["two writes at once in either order", [write("a", 0, 9), write("b", 0, 9), read("b", 10, 11)]],
  ["a write of unknown outcome that never comes", [write("a", 0, 1), write("b", 2, never), read("a", 5, 6)]],
  [
    "a write of unknown outcome that comes late",
    [write("a", 0, 1), write("b", 2, never), read("a", 5, 6), read("b", 7, 8)],
  ],
  ["registers of their own", [{ ...write("a", 0, 1), register: "other" }, read(undefined, 2, 3)]],
];
for (const [what, history] of accepted) test(`accepts ${what}`, () => assert.equal(violation(history), undefined));

/** Tries all orders. */
function hasOrder(operations: readonly Operation[], value: string | undefined): boolean {
  if (operations.every(({ completed }) => completed === never)) return true;
  return operations.some((next) => {
    const rest = operations.filter((other) => other !== next);
    if (rest.some(({ completed }) => completed < next.invoked)) return false;
    if (next.type === "read") return next.value === value && hasOrder(rest, value);
    return hasOrder(rest, next.value);
  });
}

test("agrees with a search of all orders", () => {
  const values = ["a", "b", "c"];
  const times = fc.tuple(fc.nat(12), fc.nat(5)).map(([from, length]): [number, number] => [from, from + length]);
  const writes = fc.tuple(
    ...values.map((value) =>
      fc.tuple(times, fc.boolean()).map(([[from, to], known]) => write(value, from, known ? to : never)),
    ),
  );
  const reads = fc.array(
    fc.tuple(fc.constantFrom(undefined, ...values), times).map(([value, [from, to]]) => read(value, from, to)),
    { maxLength: 4 },
  );
  let good = 0;
  fc.assert(
    fc.property(writes, reads, (some, others) => {
      const history = [...some, ...others];
      const isGood = hasOrder(history, undefined);
      good += isGood ? 1 : 0;
      assert.equal(violation(history) === undefined, isGood, violation(history));
    }),
    { numRuns: 3000 },
  );
  assert.ok(good > 100 && good < 2900, `${good} of 3000 were linearizable: the test says nothing`);
});
