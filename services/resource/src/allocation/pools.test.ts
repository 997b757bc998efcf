import assert from "node:assert/strict";
import { test } from "node:test";
import { parseNetwork } from "@orch/schema/formats/ip.js";
import fc from "fast-check";
import { addressPool, freeIndexes, type Pool, portPool } from "./pools.js";

function networkPool(text: string): Pool {
  const network = parseNetwork(text);
  assert.ok(network !== undefined);
  return addressPool(network);
}

function rangePool(text: string): Pool {
  const [first, last] = text.split("-").map(Number);
  return portPool({ first: first ?? 0, last: last ?? 0 });
}

const poolOf = (text: string): Pool => (text.includes("/") ? networkPool(text) : rangePool(text));

type Row = readonly [range: string, shown: string, size: number, reserved: number, first: string, last: string];

const rows: readonly Row[] = [
  ["10.0.0.0/24", "10.0.0.0/24", 254, 16, "10.0.0.1", "10.0.0.254"],
  ["10.0.0.77/24", "10.0.0.0/24", 254, 16, "10.0.0.1", "10.0.0.254"],
  ["10.96.0.0/12", "10.96.0.0/12", 1_048_574, 256, "10.96.0.1", "10.111.255.254"],
  ["10.0.0.0/20", "10.0.0.0/20", 4094, 256, "10.0.0.1", "10.0.15.254"],
  ["10.0.0.0/27", "10.0.0.0/27", 30, 16, "10.0.0.1", "10.0.0.30"],
  ["10.0.0.16/28", "10.0.0.16/28", 14, 0, "10.0.0.17", "10.0.0.30"],
  ["10.0.0.8/29", "10.0.0.8/29", 6, 0, "10.0.0.9", "10.0.0.14"],
  ["fd00::/108", "fd00::/108", 65_535, 256, "fd00::1", "fd00::ffff"],
  ["fd00::/120", "fd00::/120", 255, 16, "fd00::1", "fd00::ff"],
  ["30000-32767", "30000-32767", 2768, 86, "30000", "32767"],
  ["30000-30015", "30000-30015", 16, 0, "30000", "30015"],
  ["30000-30016", "30000-30016", 17, 16, "30000", "30016"],
  ["1-65535", "1-65535", 65_535, 128, "1", "65535"],
];

for (const [range, shown, size, reserved, first, last] of rows) {
  test(`${range} holds ${size} from ${first} to ${last}, ${reserved} of them kept back`, () => {
    const pool = poolOf(range);
    const ends = [pool.textAt(0), pool.textAt(size - 1)];
    assert.deepEqual([pool.range, pool.size, pool.reserved, ...ends], [shown, size, reserved, first, last]);
    assert.deepEqual([pool.indexOf(first), pool.indexOf(last)], [0, size - 1]);
    assert.equal(pool.indexOf(pool.textAt(size)), undefined);
  });
}

test("what a range does not hold has no index in it", () => {
  const pool = networkPool("10.0.0.0/24");
  for (const text of ["10.0.0.0", "10.0.0.255", "10.0.1.1", "fd00::1", "x", "", "None"]) {
    assert.equal(pool.indexOf(text), undefined, text);
  }
  assert.equal(networkPool("fd00::/112").indexOf("fd00:0:0::00a"), 9, "any spelling of an address");
  for (const text of ["29999", "32768", "30000.5", "", "x"]) {
    assert.equal(rangePool("30000-32767").indexOf(text), undefined, text);
  }
});

test("every free number is offered once, those that are kept back last", () => {
  const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 80 }), fc.array(fc.nat(79)), unit, (size, taken, at) => {
      const pool = rangePool(`30000-${29_999 + size}`);
      const used = new Set(taken);
      const free = [...freeIndexes(pool, used, () => at)];
      const all = Array.from({ length: size }, (_, i) => i).filter((i) => !used.has(i));
      assert.deepEqual(
        free.toSorted((a, b) => a - b),
        all,
      );
      const kept = free.map((index) => index < pool.reserved);
      assert.deepEqual(kept, kept.toSorted(), "no reserved one before another");
    }),
  );
});
