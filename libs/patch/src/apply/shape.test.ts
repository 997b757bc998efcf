import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@orch/schema/descriptor.js";
import fc from "fast-check";
import { setting, writeBy } from "../testing/settings-kind.js";
import { hasShape, shapeOf } from "./shape.js";
import { trackUpdate } from "./track-update.js";

const rows: readonly {
  readonly name: string;
  readonly a: JsonObject;
  readonly b: JsonObject;
  readonly same: boolean;
}[] = [
  { name: "other texts and numbers", a: { x: "a", n: { i: 1 } }, b: { x: "b", n: { i: 2 } }, same: true },
  { name: "a zero is not another number", a: { i: 1 }, b: { i: 0 }, same: false },
  { name: "two zeros are not the same", a: { i: "" }, b: { i: "0" }, same: false },
  { name: "the same zero", a: { i: "0s" }, b: { i: "0s" }, same: true },
  { name: "null is not a text", a: { x: "a" }, b: { x: null }, same: false },
  { name: "a field more", a: { x: "a" }, b: { x: "a", y: "b" }, same: false },
  { name: "a field less", a: { x: "a", y: "b" }, b: { x: "a" }, same: false },
  { name: "another name", a: { x: "a" }, b: { y: "a" }, same: false },
  { name: "the same items", a: { l: [{ k: 1 }] }, b: { l: [{ k: 1 }] }, same: true },
  { name: "other items", a: { l: [{ k: 1 }] }, b: { l: [{ k: 2 }] }, same: false },
  { name: "a list instead of an object", a: { x: {} }, b: { x: [] }, same: false },
  { name: "an object instead of a text", a: { x: "a" }, b: { x: { y: "a" } }, same: false },
  {
    name: "a name of every object",
    a: JSON.parse('{"__proto__": "a"}'),
    b: JSON.parse('{"__proto__": "b"}'),
    same: true,
  },
];

for (const { name, a, b, same } of rows) {
  test(`shapes: ${name}`, () => {
    const shape = shapeOf(a);
    assert.ok(shape !== undefined);
    assert.equal(hasShape(a, shape), true);
    assert.equal(hasShape(b, shape), same);
  });
}

test("no shape is kept of what has many parts, long names or long items", () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`n${i}`, "x"]));
  assert.equal(shapeOf({ many }), undefined);
  assert.equal(shapeOf({ list: Object.values(many) }), undefined);
  assert.equal(shapeOf({ list: ["x".repeat(10_000)] }), undefined);
  assert.equal(shapeOf({ map: { ["x".repeat(10_000)]: "a" } }), undefined);
  assert.equal(shapeOf({ list: [{ ["x".repeat(10_000)]: "a" }] }), undefined);
  assert.equal(shapeOf({ list: [2n ** 53n + 1n] }), undefined);
  assert.notEqual(shapeOf({ text: "x".repeat(10_000) }), undefined);
});

const word = fc.constantFrom("a", "b", "", "0", "0s");
const parts = fc.dictionary(fc.constantFrom("a", "b"), word, { maxKeys: 2, noNullPrototype: true });
const specification: fc.Arbitrary<JsonObject> = fc.record(
  {
    text: word,
    count: fc.integer({ min: 0, max: 2 }),
    tags: fc.uniqueArray(word, { maxLength: 2 }),
    ports: fc.constantFrom([], [{ port: 80, protocol: "TCP" }], [{ port: 443, protocol: "TCP", name: "x" }]),
    labels: parts,
    selector: parts,
    any: fc.constantFrom<unknown>("x", 0, null, {}, { k: "v" }, { k: null }, [1]),
    raw: fc.constantFrom<unknown>({ k: "v" }, { k: {} }, null),
  },
  { requiredKeys: [], noNullPrototype: true },
);

test("what was created before does not change whose fields there are", () => {
  const created = (object: JsonObject) => trackUpdate(undefined, object, writeBy("maker"));
  // As many other shapes as are kept: what comes after them is looked at whole.
  const others = Array.from({ length: 8 }, (_, i) => setting({}, { annotations: { [`other-${i}`]: "x" } }));
  fc.assert(
    fc.property(specification, specification, (before, spec) => {
      const object = setting(spec);
      others.map(created);
      const alone = created(object);
      others.map(created);
      created(setting(before));
      assert.deepEqual(created(object), alone);
    }),
    { numRuns: 2000 },
  );
});
