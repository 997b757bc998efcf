import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { decode } from "@orch/schema/decode.js";
import { jsonText } from "@orch/status/json-text.js";
import fc from "fast-check";
import { loadCatalog } from "../catalog.js";
import { arbitraryObject } from "./arbitrary.js";

const kinds = loadCatalog(createNaming("kubernetes")).storedKinds();

test("random objects are as decoding leaves them", () => {
  for (const { type } of kinds) {
    fc.assert(
      fc.property(arbitraryObject(type), (object) => {
        assert.deepEqual(decode(type, object), { value: object, unknown: [] });
      }),
      { numRuns: 20 },
    );
  }
});

test("every field of a kind is met sooner or later, and objects stay small", () => {
  for (const { type } of kinds) {
    const objects = fc.sample(arbitraryObject(type), 100);
    const met = new Set(objects.flatMap((o) => Object.keys(o)));
    const expected = [...type.byName.keys()].filter((name) => name !== "kind" && name !== "apiVersion");
    assert.deepEqual([...met].sort(), expected.sort(), type.name);
    const mean = objects.reduce((sum, o) => sum + jsonText(o).length, 0) / objects.length;
    assert.ok(mean < 20_000, `${type.name}: ${mean}`);
  }
});
