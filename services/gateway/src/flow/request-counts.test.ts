import assert from "node:assert/strict";
import { test } from "node:test";
import { createManualClock } from "@orch/runtime/clock.js";
import { createMetrics } from "@orch/runtime/metrics.js";
import { createRequestCounts, HighWater, isReadOnly } from "./request-counts.js";

function subject() {
  const clock = createManualClock();
  const told: number[] = [];
  const requests = new HighWater({ set: (value) => void told.push(value), add: () => assert.fail() }, clock);
  return { clock, told, requests };
}

test("a second's gauge is what there was at most in it", () => {
  const { clock, told, requests } = subject();
  requests.enter();
  requests.enter();
  requests.leave();
  requests.enter();
  requests.leave();
  clock.advance(999);
  assert.deepEqual(told, []);
  clock.advance(1);
  assert.deepEqual(told, [2]);
  clock.advance(1000);
  assert.deepEqual(told, [2, 1]);
  requests.leave();
  clock.advance(2000);
  assert.deepEqual(told, [2, 1, 1, 0]);
});

test("nothing ticks where nothing runs, and it begins again", () => {
  const { clock, told, requests } = subject();
  clock.advance(5000);
  assert.deepEqual(told, []);
  requests.enter();
  requests.leave();
  clock.advance(60_000);
  assert.deepEqual(told, [1, 0]);
  requests.enter();
  clock.advance(1000);
  assert.deepEqual(told, [1, 0, 1]);
});

test("the kinds of requests are told from the start", async () => {
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  const clock = createManualClock();
  const counts = createRequestCounts(metrics, clock);
  counts.readOnly.running.enter();
  counts.mutating.waiting.enter();
  clock.advance(1000);
  const lines = (await metrics.text()).split("\n").filter((line) => line.startsWith("apiserver_current_"));
  assert.deepEqual(lines.sort(), [
    'apiserver_current_inflight_requests{request_kind="mutating"} 0',
    'apiserver_current_inflight_requests{request_kind="readOnly"} 1',
    'apiserver_current_inqueue_requests{request_kind="mutating"} 1',
    'apiserver_current_inqueue_requests{request_kind="readOnly"} 0',
  ]);
  assert.match(await metrics.text(), /# HELP apiserver_current_inflight_requests \[STABLE\]/);
});

test("reads are told from writes by their verbs", () => {
  const verbs = ["get", "list", "watch", "head", "create", "update", "patch", "delete", "deletecollection", "post"];
  assert.deepEqual(verbs.filter(isReadOnly), ["get", "list", "watch", "head"]);
});
