import assert from "node:assert/strict";
import { test } from "node:test";
import { decideClaims } from "./decide-claims.js";

const volumeClaimTemplate = { metadata: { labels: { a: "b" } }, spec: { storageClassName: "fast" } };
const pod = (more: object = {}) => ({
  metadata: { name: "p", namespace: "ns", uid: "u" },
  spec: {
    volumes: [
      { name: "data", ephemeral: { volumeClaimTemplate } },
      { name: "other", emptyDir: {} },
    ],
  },
  ...more,
});
const owned = (uid: string) => ({ metadata: { name: "p-data", ownerReferences: [{ uid, controller: true }] } });

test("a volume of a pod's own gets a claim that the pod owns", () => {
  const [decision, ...others] = decideClaims(pod(), () => undefined);
  assert.ok(decision?.action === "create");
  assert.deepEqual(others, []);
  const { metadata, spec } = decision.claim;
  assert.deepEqual([metadata.name, metadata.labels, spec], ["p-data", { a: "b" }, { storageClassName: "fast" }]);
  assert.deepEqual(metadata["ownerReferences"], [
    { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", blockOwnerDeletion: true, controller: true },
  ]);
});

test("a claim that is there stays, one of somebody else is told", () => {
  assert.deepEqual(
    decideClaims(pod(), () => owned("u")),
    [],
  );
  const [decision] = decideClaims(pod(), () => owned("other"));
  const problem = "PVC ns/p-data was not created for pod ns/p (pod is not owner)";
  assert.deepEqual(decision, { action: "refuse", problem });
});

test("a pod that goes or has ended gets none", () => {
  const going = pod({ metadata: { name: "p", deletionTimestamp: "2026-01-01T00:00:00Z" } });
  assert.deepEqual(
    decideClaims(going, () => undefined),
    [],
  );
  assert.deepEqual(
    decideClaims(pod({ status: { phase: "Failed" } }), () => undefined),
    [],
  );
});
