import assert from "node:assert/strict";
import { test } from "node:test";
import { complete } from "./complete.js";
import { decode } from "./decode.js";
import { type Field, field, type MessageType, message, type Type } from "./descriptor.js";

const inner = message({
  name: "t.Inner",
  fields: () => [
    field({ name: "n", number: 1, type: { kind: "int32" } }),
    field({ name: "m", number: 2, type: { kind: "int32" }, omitempty: true }),
  ],
});

function of(spec: Partial<Field> & { readonly type: Type }): MessageType {
  return message({ name: "t.T", fields: () => [field({ name: "f", number: 1, ...spec })] });
}

const list = (item: Type): Type => ({ kind: "list", item, listType: "atomic", keys: [], wrapped: false });

for (const [what, spec, given, written] of [
  ["a message", { type: inner, omitempty: true }, {}, { f: { n: 0 } }],
  ["a message behind a pointer", { type: inner, omitempty: true, pointer: true }, {}, {}],
  ["a given message", { type: inner, pointer: true }, { f: { m: 2 } }, { f: { n: 0, m: 2 } }],
  ["a text", { type: { kind: "string" } }, {}, { f: "" }],
  ["a text that may be left out", { type: { kind: "string" }, omitempty: true }, {}, {}],
  ["a list", { type: list({ kind: "string" }) }, {}, { f: null }],
  ["a list of messages", { type: list(inner) }, { f: [{}, { n: 1 }] }, { f: [{ n: 0 }, { n: 1 }] }],
  ["a map", { type: { kind: "map", value: inner, mapType: "granular" } }, { f: { a: {} } }, { f: { a: { n: 0 } } }],
  ["a time", { type: { kind: "time" }, omitempty: true }, {}, { f: null }],
  ["a quantity", { type: { kind: "quantity" }, omitempty: true }, {}, { f: "0" }],
  ["a number or text", { type: { kind: "intOrString" }, omitempty: true }, {}, { f: 0 }],
  ["a pointer", { type: { kind: "bool" }, pointer: true, omitempty: true }, {}, {}],
] as const) {
  test(`${what} is written as the reference writes it`, () => {
    const type = of(spec);
    assert.deepEqual(complete(type, given), written);
    const before = structuredClone(given);
    complete(type, given);
    assert.deepEqual(given, before, "the input is not written to");
    decode(type, complete(type, given));
  });
}

test("what is complete is shared with the input", () => {
  const object = { f: [{ n: 1 }, { n: 2, m: 1 }] };
  assert.equal(complete(of({ type: list(inner) }), object), object);
});
