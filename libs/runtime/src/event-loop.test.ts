import assert from "node:assert/strict";
import { test } from "node:test";
import { createManualClock } from "./clock.js";
import { watchEventLoop } from "./event-loop.js";
import type { Log } from "./log.js";
import { createMetrics } from "./metrics.js";

function bed() {
  const manual = createManualClock();
  // What holds the loop moves time on while timers wait.
  let held = 0;
  const clock = { ...manual, monotonic: () => manual.monotonic() + held };
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const lines: object[] = [];
  const warn = (fields: object): void => void lines.push(fields);
  const none = (): void => {};
  const log: Log = { trace: none, debug: none, info: none, warn, error: none, child: () => log };
  const watch = watchEventLoop({ clock, metrics, log });
  return {
    watch,
    lines,
    metrics,
    /** A turn of so many milliseconds. */
    turn(ms: number) {
      held += ms;
      manual.advance(20);
    },
  };
}

const maps = { group: "", resource: "configmaps" };

test("a blocked event loop is told with the largest request that was worked on", async () => {
  const { watch, turn, lines, metrics } = bed();
  watch.note("get", { group: "apps", resource: "deployments" }, 10);
  watch.note("create", maps, 1_000_000);
  watch.note("get", maps, 500);
  turn(250);
  assert.deepEqual(lines, [{ lateMs: 250, verb: "create", ...maps, bytes: 1_000_000, untold: 0 }]);
  const text = await metrics.text();
  assert.match(text, /orch_eventloop_blocked_total\{verb="create",group="",resource="configmaps"\} 1/);
  assert.match(text, /orch_eventloop_lag_seconds_bucket\{le="0.25"\} 1/);
});

test("what was noted before the last look is not blamed, and a turn in time is not told", async () => {
  const { watch, turn, lines, metrics } = bed();
  watch.note("create", maps, 1_000_000);
  turn(50);
  assert.deepEqual(lines, []);
  turn(300);
  assert.deepEqual(lines, [{ lateMs: 300, untold: 0 }]);
  assert.match(await metrics.text(), /orch_eventloop_blocked_total\{verb="",group="",resource=""\} 1/);
});

test("there is one line in ten seconds, which counts the others", () => {
  const { watch, turn, lines } = bed();
  watch.note("get", maps, 1);
  turn(20);
  for (let i = 0; i < 5; i++) turn(200);
  assert.equal(lines.length, 1);
  for (let i = 0; i < 10; i++) turn(2000);
  assert.equal(lines.length, 3);
  assert.deepEqual(lines[1], { lateMs: 2000, untold: 8 });
});

test("a start that takes long is counted and not told: nobody waits yet", async () => {
  const { turn, lines, metrics } = bed();
  turn(700);
  assert.deepEqual(lines, []);
  assert.match(await metrics.text(), /orch_eventloop_blocked_total\{verb="",group="",resource=""\} 1/);
});
