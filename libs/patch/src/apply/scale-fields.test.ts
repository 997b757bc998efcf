import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { readVectors } from "../testing/vectors.js";
import { parentManagedFields, type ReplicasPaths, scaleManagedFields } from "./scale-fields.js";

interface Row {
  readonly parent: readonly JsonObject[];
  readonly scale: readonly JsonObject[];
  readonly toScale: readonly JsonObject[] | null;
  readonly toParent: readonly JsonObject[] | null;
}

const replicas = ["spec", "replicas"];
const paths: ReplicasPaths = new Map([
  ["apps/v1", replicas],
  ["apps/v1beta1", replicas],
  ["example.com/v1", null],
]);

for (const [i, row] of readVectors<Row>("scale").entries()) {
  test(`entries of a parent and of its scale, as the reference maps them: ${i}`, () => {
    assert.deepEqual(scaleManagedFields(row.parent, paths), row.toScale ?? []);
    assert.deepEqual(
      parentManagedFields(row.parent, row.scale, { paths, apiVersion: "apps/v1" }) ?? null,
      row.toParent,
    );
  });
}

test("a scale that nobody changed leaves the entries of its parent as they are", () => {
  const fieldsV1 = { "f:spec": { "f:replicas": {}, "f:selector": {} } };
  const entry = { manager: "m", operation: "Update", apiVersion: "apps/v1", time: "2026-01-01T00:00:00Z" };
  const parent = [{ ...entry, fieldsType: "FieldsV1", fieldsV1 }];
  const scale = scaleManagedFields(parent, paths);
  assert.deepEqual(parentManagedFields(parent, scale, { paths, apiVersion: "apps/v1" }), parent);
});
