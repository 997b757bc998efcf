import assert from "node:assert/strict";
import { test } from "node:test";
import { type OwnerReference, referencesTo } from "./references.js";

/** References to `count` owners, two to each; `read` is called whenever somebody looks whom one names. */
function pairs(count: number, read: () => void = () => {}): readonly OwnerReference[] {
  return Array.from({ length: 2 * count }, (_, i) => ({
    ...{ apiVersion: "v1", kind: i < count ? "ConfigMap" : "Secret", name: "a", blockOwnerDeletion: false },
    get uid() {
      read();
      return `uid-${i % count}`;
    },
  }));
}

for (const count of [1, 3, 8, 9, 1000])
  test(`the references to one of ${count} owners are found, in their order`, () => {
    const owners = pairs(count);
    for (let i = 0; i < count; i++) {
      const kinds = referencesTo(`uid-${i}`, owners).map(({ kind }) => kind);
      assert.deepEqual(kinds, ["ConfigMap", "Secret"], `uid-${i}`);
    }
    assert.deepEqual(referencesTo("other", owners), []);
  });

test("looking for each of an object's many owners does not read all references each time", () => {
  let reads = 0;
  const count = 2000;
  const owners = pairs(count, () => reads++);
  for (let i = 0; i < count; i++) referencesTo(`uid-${i}`, owners);
  assert.ok(reads <= 4 * owners.length, `${reads} reads of ${owners.length} references`);
});
