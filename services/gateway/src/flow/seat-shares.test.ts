import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import fc from "fast-check";
import { builtInConfig } from "./config.js";
import { divideSeats, type SeatDemand, seatRanges } from "./seat-shares.js";

const builtIn = new Map(builtInConfig(createNaming("orch")).levels.map(({ name, spec }) => [name, spec]));

// Of 245 shares: what the reference's documentation derives for 600 seats.
test("600 seats are divided among the built-in levels by their shares", () => {
  const ranges = seatRanges(600, builtIn);
  assert.deepEqual(Object.fromEntries([...ranges].map(([name, { nominal, lowest }]) => [name, [nominal, lowest]])), {
    exempt: [0, 0],
    "catch-all": [13, 13],
    system: [74, 50],
    "node-high": [98, 73],
    "leader-election": [25, 25],
    "workload-high": [98, 49],
    "workload-low": [245, 24],
    "global-default": [49, 24],
  });
  assert.ok([...ranges.values()].every(({ highest }) => highest === 600));
});

test("a level borrows so much of its own share, and no more than there is", () => {
  const limited = { nominalConcurrencyShares: 1, borrowingLimitPercent: 50 };
  const ranges = seatRanges(
    100,
    new Map([
      ["a", { type: "Limited", limited }],
      ["b", { type: "Limited", limited: { ...limited, borrowingLimitPercent: 1000 } }],
    ]),
  );
  assert.deepEqual(ranges.get("a"), { nominal: 50, lowest: 50, highest: 75 });
  assert.deepEqual(ranges.get("b"), { nominal: 50, lowest: 50, highest: 100 });
});

test("without shares nobody has seats", () => {
  const limited = { nominalConcurrencyShares: 0 };
  assert.deepEqual(seatRanges(100, new Map([["a", { type: "Limited", limited }]])).get("a"), {
    nominal: 0,
    lowest: 0,
    highest: 100,
  });
});

const level = (nominal: number, lowest: number, used: number, more: Partial<SeatDemand> = {}): SeatDemand => ({
  exempt: false,
  nominal,
  lowest,
  highest: 100,
  high: used,
  smooth: used,
  ...more,
});

test("a busy level borrows what idle ones lend, and they have it back when they need it", () => {
  const idle = divideSeats(
    100,
    new Map([
      ["busy", level(20, 10, 500)],
      ["idle", level(80, 20, 0)],
    ]),
  );
  assert.deepEqual(Object.fromEntries(idle), { busy: 80, idle: 20 });
  const back = divideSeats(
    100,
    new Map([
      ["busy", level(20, 10, 500)],
      ["idle", level(80, 20, 200)],
    ]),
  );
  assert.deepEqual(Object.fromEntries(back), { busy: 20, idle: 80 });
});

test("the exempt level is served first", () => {
  const seats = divideSeats(
    100,
    new Map([
      ["exempt", level(0, 0, 30, { exempt: true })],
      ["a", level(80, 0, 500)],
    ]),
  );
  assert.deepEqual(Object.fromEntries(seats), { exempt: 30, a: 80 });
});

test("whatever is asked for, each level stays in its range and no more is given than there is", () => {
  const demand = fc
    .record({ nominal: fc.nat(60), lent: fc.nat(100), more: fc.nat(60), high: fc.nat(300), smooth: fc.nat(300) })
    .map(({ nominal, lent, more, high, smooth }) => ({
      exempt: false,
      nominal,
      lowest: nominal - Math.round((nominal * lent) / 100),
      highest: nominal + more,
      high,
      smooth: Math.max(high, smooth),
    }));
  fc.assert(
    fc.property(fc.array(demand, { minLength: 1, maxLength: 8 }), (demands) => {
      const total = demands.reduce((sum, { nominal }) => sum + nominal, 0);
      const seats = divideSeats(total, new Map(demands.map((d, i) => [String(i), d])));
      let given = 0;
      for (const [i, d] of demands.entries()) {
        const got = seats.get(String(i)) ?? Number.NaN;
        assert.ok(got >= d.lowest && got <= d.highest, `${got} of ${JSON.stringify(d)}`);
        given += got;
      }
      assert.ok(given <= total + demands.length, `${given} of ${total}`);
    }),
  );
});
