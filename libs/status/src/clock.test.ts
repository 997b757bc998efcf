import assert from "node:assert/strict";
import { test } from "node:test";
import { sleep, systemClock } from "./clock.js";
import { createManualClock } from "./testing/manual-clock.js";

test("a manual clock runs what is due in order and honours cancelling", () => {
  const clock = createManualClock(1000);
  const ran: string[] = [];
  clock.after(20, () => ran.push(`b@${clock.now()}`));
  clock.after(10, () => {
    ran.push(`a@${clock.now()}`);
    clock.after(5, () => ran.push(`c@${clock.now()}`));
  });
  clock.after(15, () => ran.push("cancelled"))();
  clock.advance(9);
  assert.deepEqual(ran, []);
  clock.advance(100);
  assert.deepEqual(ran, ["a@1010", "c@1015", "b@1020"]);
  assert.equal(clock.now(), 1109);
});

test("the machine's clock waits for longer than its timers can", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const month = 40 * 86_400_000;
  let ran = 0;
  systemClock.after(month, () => ran++);
  const cancel = systemClock.after(month, () => ran++);
  systemClock.after(Number.POSITIVE_INFINITY, () => ran++);
  t.mock.timers.tick(2 ** 31 - 1);
  assert.equal(ran, 0);
  cancel();
  t.mock.timers.tick(month - 2 ** 31);
  assert.equal(ran, 0);
  t.mock.timers.tick(1);
  assert.equal(ran, 1);
});

test("sleep ends by time and by its signal", async () => {
  const clock = createManualClock();
  const abort = new AbortController();
  const byTime = sleep(clock, 50);
  const bySignal = sleep(clock, 1e9, abort.signal);
  clock.advance(50);
  abort.abort();
  await Promise.all([byTime, bySignal, sleep(clock, 1e9, abort.signal), sleep(systemClock, 0)]);
});

test("time that passes lets code that waits begin its next wait", async () => {
  const clock = createManualClock();
  const woken: number[] = [];
  const sleeper = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) {
      await sleep(clock, 10);
      woken.push(clock.now());
    }
  };
  void sleeper();
  await clock.pass(25);
  assert.deepEqual(woken, [10, 20]);
  assert.equal(clock.waiting(), 1);
});
