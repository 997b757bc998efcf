import assert from "node:assert/strict";
import { test } from "node:test";
import { triggerTime } from "./trigger-time.js";

const service = { metadata: { name: "s", creationTimestamp: "2026-01-01T00:00:00Z" } };
const pod = (name: string, lastTransitionTime: string) => ({
  metadata: { name },
  status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime }] },
});

test("of a service that is new it is when it was made", () => {
  const { text } = triggerTime(service, [pod("a", "2026-01-01T00:05:00Z")], undefined);
  assert.equal(text, "2026-01-01T00:00:00Z");
});

test("later it is the first change of what has changed since", () => {
  const before = triggerTime(service, [pod("a", "2026-01-01T00:05:00Z")], undefined).times;
  const pods = [pod("a", "2026-01-01T00:05:00Z"), pod("b", "2026-01-01T00:07:00Z"), pod("c", "2026-01-01T00:06:00Z")];
  assert.equal(triggerTime(service, pods, before).text, "2026-01-01T00:06:00Z");
});

test("where nothing has changed there is none", () => {
  const pods = [pod("a", "2026-01-01T00:05:00Z")];
  assert.equal(triggerTime(service, pods, triggerTime(service, pods, undefined).times).text, undefined);
});
