import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { compileSchema } from "@orch/schema/structural/compile.js";
import type { JsonSchema } from "@orch/schema/structural/json-schema.js";
import { metadata, widget } from "@orch/schema/testing/widget.js";
import { ApiError } from "@orch/status/api-error.js";
import { assertLinear } from "@orch/status/testing/growth.js";
import { type FieldTree, leaf } from "../fields/field-set.js";
import { fieldElement } from "../fields/path-element.js";
import { configuration, setting, writeBy } from "../testing/settings-kind.js";
import { applyConfiguration } from "./apply-configuration.js";
import { compare } from "./compare.js";
import { schemaOf } from "./schema.js";
import { entriesOf, trackUpdate, withEntries } from "./track-update.js";

const labels = (n: number, prefix = "k"): JsonObject =>
  Object.fromEntries(Array.from({ length: n }, (_, i) => [`${prefix}${i}`, "v"]));

function entriesBy(n: number, operation: string, field: (i: number) => string): readonly JsonObject[] {
  return Array.from({ length: n }, (_, i) => ({
    manager: `m${i}`,
    operation,
    apiVersion: "v1",
    time: "2026-01-01T00:00:00Z",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": { "f:labels": { [`f:${field(i)}`]: {} } } },
  }));
}

for (const operation of ["Update", "Apply"]) {
  for (const [what, prefix] of [
    ["what the write takes from them", "k"],
    ["what they keep", "other"],
  ] as const) {
    test(`a create with thousands of ${operation} entries for ${what} costs as much as it is long`, () => {
      assertLinear(2000, (n) => {
        const managedFields = entriesBy(n, operation, (i) => `${prefix}${i}`);
        const object = setting({ labels: labels(n) }, { managedFields });
        return () => trackUpdate(undefined, object, writeBy("one", 1));
      });
    });
  }
}

test("an update that replaces thousands of fields costs as much as they are", () => {
  assertLinear(4000, (n) => {
    const before = setting({ labels: labels(n, "a") });
    const live = withEntries(before, trackUpdate(undefined, before, writeBy("one")));
    const next = withEntries(setting({ labels: labels(n, "b") }), undefined);
    return () => trackUpdate(live, next, writeBy("two", 1));
  });
});

test("an apply among thousands of appliers costs as much as they are", () => {
  assertLinear(2000, (n) => {
    const own = entriesBy(n, "Apply", (i) => `k${i}`);
    const one = { ...own[0], manager: "one", fieldsV1: { "f:spec": { "f:labels": { "f:gone": {} } } } };
    const live = setting({ labels: { ...labels(n), gone: "v" } }, { managedFields: [...own, one] });
    return () => applyConfiguration(live, configuration({ labels: { k0: "v" } }), writeBy("one", 1));
  });
});

test("a conflict about thousands of fields names the first of them and how many there are", () => {
  const live = setting({ labels: labels(50_000) });
  const owned = withEntries(live, trackUpdate(undefined, live, writeBy("one")));
  const wanted = configuration({ labels: Object.fromEntries(Object.keys(labels(50_000)).map((key) => [key, "w"])) });
  assert.throws(
    () => applyConfiguration(owned, wanted, writeBy("two", 1)),
    (error) => {
      assert.ok(error instanceof ApiError);
      assert.match(
        error.message,
        /^Apply failed with 50000 conflicts: conflicts with "one" using v1:\n- \.spec\.labels\.k0\n/,
      );
      assert.match(error.message, /\nand 49000 more$/);
      return JSON.stringify(error.toStatus()).length < 300_000;
    },
  );
});

test("ten owners by update stay, whatever else was merged into the old changes", () => {
  const managedFields = entriesBy(500, "Update", (i) => `k${i}`);
  const object = setting({ labels: labels(500) }, { managedFields });
  const live = withEntries(object, managedFields);
  const after = entriesOf(withEntries(live, trackUpdate(live, { ...live }, writeBy("one", 1))));
  assert.equal(after.length, 10);
  assert.equal(after.filter(({ manager }) => manager === "ancient-changes").length, 1);
  const owned = after.map(({ fieldsV1 }) => JSON.stringify(fieldsV1).match(/"f:k\d+"/g)?.length ?? 0);
  assert.deepEqual(
    owned.toSorted((a, b) => b - a),
    [491, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  );
});

test("an apply of a list with very many items that do not fit is told about a hundred of them", () => {
  const tags = Array.from({ length: 100_000 }, (_, i) => i);
  assert.throws(
    () => applyConfiguration(undefined, configuration({ tags }), writeBy("one", 1)),
    (error) =>
      error instanceof ApiError && error.message.endsWith("and maybe more") && error.message.split("\n").length < 110,
  );
});

test("a change far below in what is not typed costs as much as it is deep", () => {
  // Each level once: two walks of each would never end here.
  const depth = 500;
  const nested = (value: number): JsonObject =>
    Array.from({ length: depth }).reduce<JsonObject>((inner) => ({ a: inner }), { value });
  const open: JsonSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const type = compileSchema(open, { name: widget.name, metadata });
  const { added, modified, removed } = compare(schemaOf(type), nested(1), nested(2));
  assert.deepEqual([added, removed], [{}, {}]);
  let at: FieldTree | undefined = modified;
  for (let i = 0; i < depth; i++) at = at?.[fieldElement("a")];
  assert.deepEqual(at, { [fieldElement("value")]: leaf });
});
