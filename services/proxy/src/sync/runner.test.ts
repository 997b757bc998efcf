import assert from "node:assert/strict";
import { test } from "node:test";
import { createManualClock } from "@orch/status/testing/manual-clock.js";
import { createRunner, type Outcome } from "./runner.js";

function counted(outcomes: readonly Outcome[] = [], fails = false) {
  const errors: unknown[] = [];
  const clock = createManualClock();
  const at: number[] = [];
  const runner = createRunner({
    clock,
    minMs: 1_000,
    maxMs: 30_000,
    onError: (error) => errors.push(error),
    async sync() {
      at.push(clock.monotonic());
      if (fails) throw new Error("no");
      return outcomes[at.length - 1] ?? { ok: true, againAfter: undefined };
    },
  });
  return { clock, runner, at, errors };
}

test("changes are written at once, twice, then once in the least period", async () => {
  const { clock, runner, at } = counted();
  runner.request();
  runner.start();
  for (let i = 0; i < 35; i++) {
    await clock.pass(100);
    runner.request();
  }
  assert.deepEqual(at, [0, 100, 1_000, 2_000, 3_000]);
  await runner.stop();
});

test("without changes there is a sync after the longest period", async () => {
  const { clock, runner, at } = counted();
  runner.start();
  await clock.pass(65_000);
  assert.deepEqual(at, [0, 30_000, 60_000]);
  await runner.stop();
  await clock.pass(65_000);
  assert.equal(at.length, 3);
});

test("what is left to do is done when it may be", async () => {
  const { clock, runner, at } = counted([{ ok: true, againAfter: 1_500 }]);
  runner.start();
  await clock.pass(2_000);
  assert.deepEqual(at, [0, 1_500]);
  await runner.stop();
});

test("one that throws is told and made again after the longest period", async () => {
  const { clock, runner, at, errors } = counted([], true);
  runner.start();
  await clock.pass(30_000);
  assert.deepEqual([at, errors.length], [[0, 30_000], 2]);
  await runner.stop();
});
