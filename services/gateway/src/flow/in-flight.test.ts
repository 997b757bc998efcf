import assert from "node:assert/strict";
import { test } from "node:test";
import { createManualClock } from "@orch/runtime/clock.js";
import { createMetrics } from "@orch/runtime/metrics.js";
import type { Identified } from "../call.js";
import { fakeCall } from "../testing/fake-call.js";
import { limitInFlight } from "./in-flight.js";
import { createRequestCounts } from "./request-counts.js";

const callOf = (verb: string, group = "people"): Identified => fakeCall({ verb, groups: [group] });

function subject() {
  const clock = createManualClock();
  const metrics = createMetrics({ release: "1.32", processMetrics: false });
  return { clock, metrics, counts: createRequestCounts(metrics, clock) };
}

test("reads and writes have bounds of their own, watches and the masters none", () => {
  const limiter = limitInFlight({ reads: 2, writes: 1, mastersGroup: "masters" }, subject().counts);
  const enter = (verb: string, group?: string) => limiter.enter(callOf(verb, group));
  const first = enter("list");
  enter("get");
  enter("create");
  for (const verb of ["get", "list", "update", "delete"]) {
    assert.throws(() => limiter.enter(callOf(verb)), { reason: "TooManyRequests", details: { retryAfterSeconds: 1 } });
  }
  enter("watch");
  enter("get", "masters").release();
  first.release();
  first.release();
  enter("get");
  assert.throws(() => limiter.enter(callOf("get")), { reason: "TooManyRequests" });
});

test("a bound of 0 is none", () => {
  const limiter = limitInFlight({ reads: 0, writes: 1, mastersGroup: "masters" }, subject().counts);
  for (let i = 0; i < 1000; i++) limiter.enter(callOf("get"));
  limiter.enter(callOf("create"));
  assert.throws(() => limiter.enter(callOf("create")));
});

test("what runs within the bounds is told", async () => {
  const { clock, metrics, counts } = subject();
  const limiter = limitInFlight({ reads: 5, writes: 5, mastersGroup: "masters" }, counts);
  const held = ["get", "list", "create", "watch"].map((verb) => limiter.enter(callOf(verb)));
  for (const seats of held) seats.release();
  clock.advance(1000);
  const text = await metrics.text();
  assert.match(text, /^apiserver_current_inflight_requests\{request_kind="readOnly"\} 2$/m);
  assert.match(text, /^apiserver_current_inflight_requests\{request_kind="mutating"\} 1$/m);
});
