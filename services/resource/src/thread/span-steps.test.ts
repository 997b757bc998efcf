import assert from "node:assert/strict";
import { test } from "node:test";
import { toldSpan } from "@orch/status/testing/told-span.js";
import { farSpan, nearSpan, type SpanStep } from "./span-steps.js";

const context = { traceparent: "00-a", tracestate: "", auditId: "audit" };

test("what is told of a span in the thread is told of the write's own, and what stays open is ended", () => {
  const told = toldSpan();
  const near = nearSpan(told);
  const steps: SpanStep[] = [];
  const far = farSpan(context, {
    now: () => 7,
    tell(step) {
      steps.push(step);
      near.take(structuredClone(step));
    },
  });
  assert.deepEqual([far.traceparent, far.auditId], ["00-a", "audit"]);
  far.event("begun", { n: 1 });
  const stored = far.child("Create", { key: "/a" });
  stored.set({ size: 2 });
  stored.child("inner");
  stored.end("no room");
  stored.event("late");
  near.end();
  near.take({ type: "event", of: 0, name: "after", attributes: undefined, at: 8 });
  assert.deepEqual(steps[0], { type: "event", of: 0, name: "begun", attributes: { n: 1 }, at: 7 });
  assert.deepEqual(told.told, [
    'root: event begun {"n":1}',
    'root: child Create {"key":"/a"}',
    'Create: set {"size":2}',
    "Create: child inner",
    "Create: end no room",
    "inner: end",
  ]);
});
