import assert from "node:assert/strict";
import { test } from "node:test";
import { createCorrelator } from "./correlate.js";

function correlatorAt() {
  let at = 0;
  let names = 0;
  const correlator = createCorrelator({ now: () => at });
  return {
    pass: (ms: number) => {
      at += ms;
    },
    see: (message: string, { object = "pod", reason = "R" } = {}) =>
      correlator.see({ object, type: "Normal", reason, message, newName: () => `e${++names}` }),
  };
}

test("the same again is counted in one event", () => {
  const { see, pass } = correlatorAt();
  assert.deepEqual(see("a"), { name: "e1", message: "a", combined: false, count: 1, firstAt: 0, lastAt: 0 });
  pass(5);
  assert.deepEqual(see("a"), { name: "e1", message: "a", combined: false, count: 2, firstAt: 0, lastAt: 5 });
  assert.equal(see("b")?.count, 1);
});

test("ten messages with one reason become one event, until ten minutes are quiet", () => {
  const { see, pass } = correlatorAt();
  for (let i = 0; i < 9; i++) assert.equal(see(`m${i}`)?.message, `m${i}`);
  const combined = see("m9");
  assert.equal(combined?.message, "(combined from similar events): m9");
  assert.equal(combined?.combined, true);
  assert.equal(see("m10")?.name, combined?.name);
  assert.equal(see("m11")?.count, 3);
  assert.equal(see("other", { reason: "S" })?.message, "other");
  pass(600_001);
  assert.equal(see("m12")?.message, "m12");
});

test("25 are told of an object at once, then one in five minutes", () => {
  const { see, pass } = correlatorAt();
  for (let i = 0; i < 25; i++) assert.notEqual(see(`m${i % 3}`), undefined);
  assert.equal(see("m0"), undefined);
  assert.notEqual(see("m0", { object: "other" }), undefined);
  pass(299_000);
  assert.equal(see("m0"), undefined);
  pass(301_000);
  assert.notEqual(see("m0"), undefined);
});
