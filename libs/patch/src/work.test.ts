import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { ApiError } from "@orch/status/api-error.js";
import { applyJsonPatch, type JsonPatchOperation } from "./json-patch.js";
import { applyStrategicMergePatch } from "./strategic/strategic-merge-patch.js";
import { podType } from "./testing/pod.js";

function refused(work: () => unknown): void {
  assert.throws(work, (error) => error instanceof ApiError && error.reason === "RequestEntityTooLarge");
}

const many = <T>(n: number, item: (i: number) => T): readonly T[] => Array.from({ length: n }, (_, i) => item(i));

test("ten thousand items put or taken at the begin of a long list are refused, of a short one not", () => {
  const patch: readonly JsonPatchOperation[] = many(10_000, (i) =>
    i % 2 === 0 ? { op: "add", path: "/a/0", value: 0 } : { op: "remove", path: "/a/0" },
  );
  refused(() => applyJsonPatch({ a: many(500_000, () => 0) }, patch));
  assert.deepEqual(applyJsonPatch({ a: many(5000, () => 0) }, patch), { a: many(5000, () => 0) });
});

test("ten thousand tests against a great object are refused, however small what they name is", () => {
  const great = Object.fromEntries(many(1000, (i) => [`k${i}`, "v"]));
  const same = { ...great };
  refused(() =>
    applyJsonPatch(
      { a: { b: great } },
      many(10_000, () => ({ op: "test", path: "/a", value: { b: same } })),
    ),
  );
  const few = many(100, (): JsonPatchOperation => ({ op: "test", path: "/a", value: { b: same } }));
  assert.deepEqual(applyJsonPatch({ a: { b: great } }, few), { a: { b: great } });
});

const limitsOf = (names: readonly number[]): JsonObject => Object.fromEntries(names.map((i) => [`r${i}`, "1"]));
const saysOfOne = (n: number): JsonObject => ({
  spec: { containers: many(n, (i) => ({ name: "a", resources: { limits: { [`r${i}`]: "2" } } })) },
});

test("a patch that speaks of one item ten thousand times is refused, one of ten times not", () => {
  const pod = (names: readonly number[]): JsonObject => ({
    spec: { containers: [{ name: "a", resources: { limits: limitsOf(names) } }] },
  });
  const all = many(1000, (i) => i);
  refused(() => applyStrategicMergePatch(podType, pod(all), saysOfOne(10_000)));
  // The item that is repeated may be the patch's own.
  refused(() => applyStrategicMergePatch(podType, { spec: { containers: [] } }, saysOfOne(10_000)));
  const merged = applyStrategicMergePatch(podType, pod(all), saysOfOne(10));
  assert.match(JSON.stringify(merged), /"r9":"2","r10":"1"/);
});
