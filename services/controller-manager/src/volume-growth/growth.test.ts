import assert from "node:assert/strict";
import { test } from "node:test";
import type { Claim } from "../volume-binding/types.js";
import { growthEvent, hasGrown } from "./growth.js";

const claim = (wanted: string, has: string, phase = "Bound"): Claim => ({
  metadata: { name: "c", namespace: "ns", uid: "u" },
  spec: { resources: { requests: { storage: wanted } } },
  status: { phase, capacity: { storage: has } },
});
const volumeOf = (uid: string) => ({
  metadata: { name: "v" },
  spec: { claimRef: { namespace: "ns", name: "c", uid } },
});

test("whoever asks for more than there is hears who makes it grow", () => {
  assert.deepEqual(growthEvent(claim("2Gi", "1Gi"), volumeOf("u")), {
    ...{ type: "Normal", reason: "ExternalExpanding" },
    message: "waiting for an external controller to expand this PVC",
  });
  assert.equal(growthEvent(claim("1Gi", "1Gi"), volumeOf("u")), undefined);
  assert.equal(growthEvent(claim("2Gi", "1Gi", "Pending"), volumeOf("u")), undefined);
  assert.equal(growthEvent(claim("2Gi", "1Gi"), volumeOf("other")), undefined);
  assert.equal(growthEvent(claim("2Gi", "1Gi"), undefined), undefined);
});

test("a claim has grown when it asks for more or has more, in whatever unit", () => {
  assert.equal(hasGrown(claim("2Gi", "1Gi"), claim("1Gi", "1Gi")), true);
  assert.equal(hasGrown(claim("2Gi", "2Gi"), claim("2Gi", "1Gi")), true);
  assert.equal(hasGrown(claim("1024Mi", "1Gi"), claim("1Gi", "1Gi")), false);
});
