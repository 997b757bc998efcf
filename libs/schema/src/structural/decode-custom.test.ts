import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decode, decodeValue } from "../decode.js";
import { applyDefaults } from "../defaults.js";
import { equal } from "../equal.js";
import { compileSchema } from "./compile.js";
import type { JsonSchema, SchemaMap } from "./json-schema.js";

const root = (properties: SchemaMap, more: JsonSchema = {}): JsonSchema => ({ type: "object", properties, ...more });
const text: JsonSchema = { type: "string" };
const listOf = (items: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ type: "array", items, ...more });
const open: JsonSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const spec = root({
  name: text,
  list: listOf(root({ x: text })),
  map: { type: "object", additionalProperties: root({ y: text }) },
  any: { type: "object", additionalProperties: true },
  open: { ...open, properties: { z: root({ w: text }) } },
  rows: listOf(root({ x: text }), { "x-kubernetes-preserve-unknown-fields": true }),
  free: {
    "x-kubernetes-preserve-unknown-fields": true,
    properties: { z: root({ w: text }) },
    items: root({ x: text }),
  },
  object: { "x-kubernetes-embedded-resource": true, ...root({ spec: root({}) }) },
});

const type = compileSchema(spec, { name: "Test" });

/** The value, as it is left; itself where nothing is unknown. */
function pruned(value: object): unknown {
  return decode(type, value).value;
}

const prunings: readonly (readonly [string, object, unknown])[] = [
  ["known fields", { name: "a", list: [{ x: "1" }], map: { k: { y: "1" } } }, undefined],
  ["unknown fields", { name: "a", other: 1 }, { name: "a" }],
  ["unknown fields of items", { list: [{ x: "1", o: 1 }, 7] }, { list: [{ x: "1" }, 7] }],
  ["unknown fields of map values", { map: { k: { o: 1 } } }, { map: { k: {} } }],
  ["anything where anything may be", { any: { k: { o: 1 } } }, undefined],
  ["unknown fields where they are kept", { open: { o: 1, z: { w: "1", o: 1 } } }, { open: { o: 1, z: { w: "1" } } }],
  [
    "what every object has",
    { object: { apiVersion: "v1", kind: "K", metadata: { any: 1 }, spec: { o: 1 }, o: 1 } },
    { object: { apiVersion: "v1", kind: "K", metadata: { any: 1 }, spec: {} } },
  ],
  ["unknown fields of items of a list that keeps them", { rows: [{ o: 1 }] }, undefined],
  ["unknown fields of a value of any type", { free: { o: 1, z: { o: 1, w: "1" } } }, { free: { o: 1, z: { w: "1" } } }],
  ["unknown fields of items of any type that keeps them", { free: [{ o: 1, x: "1" }] }, undefined],
  ["names that every object of the language has", { constructor: 1, toString: 2 }, {}],
];

for (const [what, value, wanted] of prunings) {
  test(`pruning: ${what}`, () => {
    const result = pruned(value);
    if (wanted === undefined) assert.equal(result, value, "shared with the input");
    else assert.deepEqual(result, wanted);
  });
}

test("pruning twice is as pruning once, and leaves nothing that was not there", () => {
  fc.assert(
    fc.property(
      fc.object({ key: fc.constantFrom("name", "list", "map", "any", "open", "object", "x", "y") }),
      (value) => {
        const once = decode(type, value).value;
        assert.deepEqual(pruned(once), once);
      },
    ),
  );
});

test("paths of unknown fields are told", () => {
  const { unknown } = decode(type, { other: 1, list: [{ o: 1 }], map: { k: { o: 1 } }, open: { z: { o: 1 } } });
  assert.deepEqual(unknown, ["other", "list[0].o", "map.k.o", "open.z.o"]);
});

const nullable: JsonSchema = { type: "string", nullable: true };
const nulls = compileSchema(
  root({
    a: text,
    b: { ...text, default: "B" },
    c: nullable,
    d: { ...nullable, default: "D" },
    list: listOf({ ...text, default: "I" }),
    plain: listOf(text),
    map: { type: "object", additionalProperties: { ...text, default: "V" } },
    bare: { type: "object", additionalProperties: text },
    inner: root({ x: { type: "integer", default: 1 } }),
    free: { "x-kubernetes-preserve-unknown-fields": true, properties: { y: { type: "integer", default: 2 } } },
    zero: { type: "integer", default: 0 },
  }),
  { name: "Test" },
);

const defaultings: readonly (readonly [string, object, object])[] = [
  ["absent fields", {}, { b: "B", d: "D", zero: 0 }],
  ["null", { a: null, b: null, c: null, d: null, zero: null }, { b: "B", c: null, d: null, zero: 0 }],
  ["null in a list", { list: ["x", null] }, { b: "B", d: "D", list: ["x", "I"], zero: 0 }],
  ["null in a list that has no default", { plain: [null] }, { b: "B", d: "D", plain: [null], zero: 0 }],
  [
    "null in a map",
    { map: { k: null }, bare: { k: null, l: "" } },
    { b: "B", bare: { l: "" }, d: "D", map: { k: "V" }, zero: 0 },
  ],
  ["an object that is there", { inner: {} }, { b: "B", d: "D", inner: { x: 1 }, zero: 0 }],
  ["an object of any type", { free: {} }, { b: "B", d: "D", free: { y: 2 }, zero: 0 }],
  ["a value of another type", { inner: "x", list: "y" }, { b: "B", d: "D", inner: "x", list: "y", zero: 0 }],
  ["zeros", { a: "", plain: [], bare: {} }, { a: "", b: "B", bare: {}, d: "D", plain: [], zero: 0 }],
];

for (const [what, value, wanted] of defaultings) {
  test(`defaulting: ${what}`, () => {
    const once = applyDefaults(nulls, decode(nulls, value).value);
    assert.deepEqual(once, wanted);
    assert.equal(applyDefaults(nulls, decode(nulls, once).value), once, "twice is as once");
  });
}

test("a default is a value of its own in each object", () => {
  const lists = compileSchema(root({ list: listOf(text, { default: ["a"] }) }), { name: "Test" });
  assert.notEqual(applyDefaults(lists, {})["list"], applyDefaults(lists, {})["list"]);
});

test("nothing, null and empty differ", () => {
  assert.equal(equal(nulls, {}, { c: null }), false);
  assert.equal(equal(nulls, {}, { bare: {} }), false);
  assert.equal(equal(nulls, { c: null, bare: {} }, { bare: {}, c: null }), true);
});

test("what a schema has no type for is kept by decoding, whatever it is", () => {
  const any = compileSchema(open, { name: "Test" });
  fc.assert(
    fc.property(fc.object({ withNullPrototype: false }), (value) => {
      assert.equal(decodeValue(any, value).value, value);
    }),
  );
});

test("an old definition may keep all that its schema does not know", () => {
  const kept = compileSchema(spec, { name: "Test", keepUnknown: true });
  const value = { other: 1, list: [{ o: 1 }], map: { k: { o: 1 } }, object: { apiVersion: "v1", kind: "K", o: 1 } };
  assert.equal(decode(kept, value).value, value);
});

test("names in a value of another shape than its schema's are not known", () => {
  const shapes = compileSchema(
    root({
      s: text,
      i: { type: "integer" },
      l: listOf(text),
      o: root({ a: text }),
      ios: { "x-kubernetes-int-or-string": true },
    }),
    { name: "Test" },
  );
  const { value, unknown } = decode(shapes, {
    s: { b: 1, a: 2 },
    i: [{ x: 1 }],
    l: { y: 1 },
    o: [[{ z: 1 }]],
    ios: { q: 1 },
  });
  assert.deepEqual(unknown, ["s.b", "s.a", "i[0].x", "l.y", "o[0][0].z", "ios.q"]);
  assert.deepEqual(value, { s: {}, i: [{}], l: {}, o: [[{}]], ios: {} });
});
