import assert from "node:assert/strict";
import { test } from "node:test";
import { complete } from "@orch/schema/complete.js";
import { DecodeError, decode } from "@orch/schema/decode.js";
import { type Field, field, type JsonObject, type MessageType, message, type Type } from "@orch/schema/descriptor.js";
import { jsonText } from "@orch/status/json-text.js";
import fc from "fast-check";
import { pod, podFromReference, podType } from "../testing/pod.js";
import { decodeMessage } from "./decode.js";
import { encodeMessage } from "./encode.js";
import { unwrapObject } from "./envelope.js";

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");
const one = (spec: Partial<Field> & { readonly type: Type }): MessageType =>
  message({ name: "T", fields: () => [field({ name: "f", number: 1, ...spec })] });
const listOf = (item: Type, wrapped = false): Type => ({ kind: "list", item, listType: "atomic", keys: [], wrapped });
const mapOf = (value: Type): Type => ({ kind: "map", value, mapType: "granular" });
const string: Type = { kind: "string" };
const inner = message({
  name: "Inner",
  fields: () => [
    field({ name: "a", number: 1, type: string, omitempty: true }),
    field({ name: "n", number: 2, type: { kind: "int32" } }),
    field({ name: "list", number: 3, type: listOf(string), omitempty: true }),
    field({ name: "note", type: string }),
  ],
});
const either: Type = {
  kind: "either",
  name: "InnerOrBool",
  alternatives: [
    { number: 1, type: { kind: "bool" } },
    { number: 2, type: inner },
  ],
};
const eitherList: Type = {
  kind: "either",
  name: "InnerOrList",
  alternatives: [
    { number: 1, type: inner },
    { number: 2, type: listOf(string) },
  ],
};

/** A field, a tree, what it is written as, and what is read back where that is not the tree. */
type Row = readonly [spec: Partial<Field> & { readonly type: Type }, tree: JsonObject, hex: string, back?: JsonObject];

const omitted = { omitempty: true } as const;
const pointer = { pointer: true, omitempty: true } as const;

const rows: readonly Row[] = [
  [{ type: string }, { f: "ab" }, "0a02 6162"],
  [{ type: string }, {}, "0a00", { f: "" }],
  [{ type: string, ...omitted }, {}, "0a00"],
  [{ type: string, ...omitted }, { f: "" }, "0a00", {}],
  [{ type: string, ...pointer }, {}, ""],
  [{ type: string, ...pointer }, { f: "" }, "0a00"],
  [{ type: string }, { f: "ä€😀" }, "0a09 c3a4 e282ac f09f9880"],
  [{ type: string }, { f: "x".repeat(200) }, `0ac801 ${"78".repeat(200)}`],
  [{ type: string }, { f: "ä".repeat(40) }, `0a50 ${"c3a4".repeat(40)}`],
  [{ type: string }, { f: "x".repeat(20_000) }, `0aa09c01 ${"78".repeat(20_000)}`],
  [{ type: string, number: 16 }, { f: "a" }, "8201 01 61"],
  [{ type: string, number: 2048 }, { f: "a" }, "828001 01 61"],
  [{ type: { kind: "int32" } }, { f: 0 }, "0800"],
  [{ type: { kind: "int32" }, ...omitted }, {}, "0800"],
  [{ type: { kind: "int32" }, ...pointer }, { f: 0 }, "0800"],
  [{ type: { kind: "int32" } }, { f: 300 }, "08ac02"],
  [{ type: { kind: "int32" } }, { f: -1 }, "08ffffffffffffffffff01"],
  [{ type: { kind: "int32" } }, { f: 2147483647 }, "08ffffffff07"],
  [{ type: { kind: "int32" } }, { f: -2147483648 }, "0880808080f8ffffffff01"],
  [{ type: { kind: "int64" } }, { f: 2 ** 53 - 1 }, "08ffffffffffffff0f"],
  [{ type: { kind: "int64" } }, { f: -(2 ** 53 - 1) }, "08818080808080 80f0ff01"],
  [{ type: { kind: "int64" } }, { f: 2 ** 21 }, "0880808001"],
  [{ type: { kind: "int64" } }, { f: 2 ** 32 }, "088080808010"],
  [{ type: { kind: "bool" } }, { f: true }, "0801"],
  [{ type: { kind: "bool" }, ...omitted }, {}, "0800"],
  [{ type: { kind: "double" }, ...pointer }, { f: 1.5 }, "09 000000000000f83f"],
  [{ type: { kind: "double" } }, { f: -(2n ** 53n) }, "09 00000000000040c3", { f: -(2 ** 53) }],
  [{ type: { kind: "double" } }, { f: 2n ** 63n - 1n }, "09 000000000000e043", { f: 2 ** 63 }],
  [{ type: { kind: "bytes" } }, {}, ""],
  [{ type: { kind: "bytes" } }, { f: "AQL/" }, "0a03 0102ff"],
  [{ type: inner }, {}, "0a04 0a001000", { f: { n: 0 } }],
  [{ type: inner }, { f: { a: "x", n: 1, list: ["", "y"] } }, "0a0a 0a0178 1001 1a00 1a0179"],
  [{ type: inner }, { f: { a: "x", n: 1, note: "JSON only" } }, "0a05 0a0178 1001", { f: { a: "x", n: 1 } }],
  [{ type: inner, ...pointer }, {}, ""],
  [{ type: inner, ...pointer }, { f: { n: 0 } }, "0a04 0a001000"],
  [{ type: inner, inline: true, name: "" }, { a: "x", n: 2 }, "0a05 0a0178 1002"],
  [{ type: inner, inline: true, name: "" }, {}, "0a04 0a001000", { n: 0 }],
  [{ type: listOf(string) }, {}, ""],
  [{ type: listOf(string) }, { f: [] }, "", {}],
  [{ type: listOf(string) }, { f: ["a", ""] }, "0a0161 0a00"],
  [{ type: listOf(inner) }, { f: [{ n: 0 }, { n: 1 }] }, "0a04 0a001000 0a04 0a001001"],
  [{ type: listOf({ kind: "int64" }) }, { f: [1, 0, -1] }, "0801 0800 08ffffffffffffffffff01"],
  [{ type: listOf(string, true) }, {}, ""],
  [{ type: listOf(string, true) }, { f: [] }, "0a00"],
  [{ type: listOf(string, true) }, { f: ["a", ""] }, "0a05 0a0161 0a00"],
  [{ type: mapOf(string) }, {}, ""],
  [{ type: mapOf(string) }, { f: { b: "2", a: "" } }, "0a05 0a0161 1200 0a06 0a0162 120132"],
  [{ type: mapOf(string) }, { f: { "\u{1f600}": "", "\uff5e": "" } }, "0a07 0a03 efbd9e 1200 0a08 0a04 f09f9880 1200"],
  [{ type: mapOf(string) }, JSON.parse('{"f":{"__proto__":"x"}}'), "0a0e 0a09 5f5f70726f746f5f5f 120178"],
  [{ type: mapOf(inner) }, { f: { a: { n: 1 } } }, "0a09 0a0161 1204 0a001001"],
  [{ type: mapOf(listOf(string, true)) }, { f: { a: ["x"], b: [] } }, "0a08 0a0161 1203 0a0178 0a05 0a0162 1200"],
  [{ type: mapOf({ kind: "time" }) }, { f: { a: null } }, "0a05 0a0161 1200"],
  [{ type: { kind: "time" } }, {}, "0a00"],
  [{ type: { kind: "time" }, ...pointer }, {}, ""],
  [{ type: { kind: "time" } }, { f: "1970-01-01T00:00:00Z" }, "0a04 0800 1000"],
  [{ type: { kind: "time" } }, { f: "2024-02-29T23:59:58Z" }, "0a08 08feb484af06 1000"],
  [{ type: { kind: "time" } }, { f: "0001-01-01T00:00:00Z" }, "0a00", {}],
  [{ type: { kind: "microTime" } }, { f: "1969-12-31T23:59:58.987654Z" }, "0a11 08feffffffffffffffff01 10f0cef9d603"],
  [{ type: { kind: "microTime" } }, { f: "1970-01-01T00:00:00.000000Z" }, "0a04 0800 1000"],
  [{ type: { kind: "duration" } }, {}, "0a02 0800", { f: "0s" }],
  [{ type: { kind: "duration" } }, { f: "1m30s" }, "0a07 08 8088aca3cf02"],
  [{ type: { kind: "quantity" } }, {}, "0a03 0a0130", { f: "0" }],
  [{ type: { kind: "quantity" }, ...omitted }, {}, "0a03 0a0130", { f: "0" }],
  [{ type: { kind: "quantity" }, ...pointer }, { f: "1500m" }, "0a07 0a05 313530306d"],
  [{ type: { kind: "intOrString" } }, {}, "0a06 0800 1000 1a00", { f: 0 }],
  [{ type: { kind: "intOrString" }, ...omitted }, {}, "0a06 0800 1000 1a00"],
  [{ type: { kind: "intOrString" } }, { f: 80 }, "0a06 0800 1050 1a00"],
  [{ type: { kind: "intOrString" } }, { f: "25%" }, "0a09 0801 1000 1a03 323525"],
  [{ type: { kind: "raw" } }, {}, "0a00"],
  [{ type: { kind: "raw" } }, { f: { a: 1 } }, "0a09 0a07 7b2261223a317d"],
  [{ type: { kind: "fieldsV1" }, ...pointer }, { f: {} }, "0a04 0a02 7b7d"],
  [{ type: { kind: "any" }, ...pointer }, { f: 1.5 }, "0a05 0a03 312e35"],
  [{ type: listOf({ kind: "any" }) }, { f: ["a", null] }, "0a05 0a03 226122 0a00"],
  [{ type: either, ...pointer }, {}, ""],
  [{ type: either, ...pointer }, { f: false }, "0a02 0800"],
  [{ type: either, ...pointer }, { f: true }, "0a02 0801"],
  [{ type: either, ...pointer }, { f: { n: 1 } }, "0a08 0801 1204 0a001001"],
  [{ type: eitherList, ...pointer }, { f: ["a"] }, "0a03 120161"],
  [{ type: eitherList, ...pointer }, { f: { n: 1 } }, "0a06 0a04 0a001001"],
  [{ type: eitherList, ...pointer }, { f: [] }, "0a00", {}],
];

function withoutTypeMeta(object: JsonObject): JsonObject {
  const { apiVersion: _version, kind: _kind, ...rest } = object;
  return rest;
}

for (const [index, [spec, tree, wire, back]] of rows.entries()) {
  const shown = jsonText(tree).slice(0, 60);
  test(`row ${index}: ${spec.pointer === true ? "pointer to " : ""}${spec.type.kind} ${shown}`, () => {
    const type = one(spec);
    assert.equal(encodeMessage(type, tree).toString("hex"), hex(wire).toString("hex"));
    assert.deepEqual(decodeMessage(type, hex(wire)), back ?? tree);
  });
}

test("the reference's Pod is written and read byte for byte", () => {
  const body = unwrapObject(podFromReference);
  assert.ok(body.ok);
  assert.deepEqual(body.typeMeta, { apiVersion: "v1", kind: "Pod" });
  assert.deepEqual(encodeMessage(podType, pod), body.raw);
  assert.deepEqual(decodeMessage(podType, body.raw), decode(podType, withoutTypeMeta(pod)).value);
});

test("what a tree leaves out is read as JSON would show it", () => {
  const sparse: readonly JsonObject[] = [
    {},
    { metadata: { name: "a", creationTimestamp: "2024-01-01T00:00:00Z" } },
    { spec: { containers: [{ name: "a" }, {}], volumes: [{}, { name: "v", configMap: {} }] } },
    { spec: { containers: [{ name: "a", env: [{ name: "b", valueFrom: { fieldRef: {} } }], livenessProbe: {} }] } },
    { status: { conditions: [{ type: "Ready" }], podIPs: [{}] } },
  ];
  for (const tree of sparse) {
    const read = decodeMessage(podType, encodeMessage(podType, tree));
    assert.deepEqual(read, decode(podType, withoutTypeMeta(complete(podType, tree))).value);
    assert.deepEqual(encodeMessage(podType, read), encodeMessage(podType, tree));
  }
});

test("what comes more than once merges, and the last scalar wins", () => {
  const rows: readonly (readonly [Partial<Field> & { readonly type: Type }, string, JsonObject])[] = [
    [{ type: string, ...omitted }, "0a0161 0a0162", { f: "b" }],
    [{ type: string, ...omitted }, "0a0161 0a00", {}],
    [{ type: string }, "0a0161 0a00", { f: "" }],
    [{ type: inner }, "0a07 0a0161 1001 1a00 0a05 0a0162 1a00", { f: { a: "b", n: 1, list: ["", ""] } }],
    [{ type: inner }, "0a03 0a0161 0a02 0a00", { f: { n: 0 } }],
    [{ type: inner, inline: true, name: "" }, "0a02 1001 0a03 0a0161", { a: "a", n: 1 }],
    [{ type: mapOf(string) }, "0a06 0a0161 120131 0a06 0a0161 120132", { f: { a: "2" } }],
    [{ type: mapOf(inner) }, "0a03 0a0161", { f: { a: { n: 0 } } }],
    [{ type: mapOf({ kind: "bytes" }) }, "0a03 0a0161", { f: { a: "" } }],
    [{ type: listOf(string, true) }, "0a03 0a0161 0a03 0a0162", { f: ["a", "b"] }],
    [{ type: { kind: "intOrString" } }, "0a05 0801 1a0161 0a02 1005", { f: "a" }],
    [{ type: { kind: "time" } }, "0a02 0801 0a00", {}],
    [{ type: { kind: "raw" } }, "0a04 0a027b7d 0a00", { f: {} }],
    [{ type: either }, "0a02 0801 0a04 12021001", { f: { n: 1 } }],
  ];
  for (const [spec, wire, tree] of rows) assert.deepEqual(decodeMessage(one(spec), hex(wire)), tree, wire);
});

test("numbers are read packed, too, and unknown fields are passed over", () => {
  assert.deepEqual(decodeMessage(one({ type: listOf({ kind: "int64" }) }), hex("0a03 01ac02 0805")), {
    f: [1, 300, 5],
  });
  assert.deepEqual(decodeMessage(one({ type: listOf({ kind: "double" }) }), hex("0a08 000000000000f83f")), {
    f: [1.5],
  });
  const unknown = "1005 1a0161 2101020304 05060708 2d01020304 f8ffffff0f01";
  assert.deepEqual(decodeMessage(one({ type: string }), hex(`${unknown} 0a0161 ${unknown}`)), { f: "a" });
});

test("quantities come in any form and leave in the canonical one; times lose what their kind does not keep", () => {
  assert.deepEqual(decodeMessage(one({ type: { kind: "quantity" } }), hex("0a07 0a05 313030306d")), { f: "1" });
  assert.deepEqual(decodeMessage(one({ type: { kind: "time" } }), hex("0a04 0801 1005")), {
    f: "1970-01-01T00:00:01Z",
  });
  assert.deepEqual(decodeMessage(one({ type: { kind: "microTime" } }), hex("0a05 0801 10e707")), {
    f: "1970-01-01T00:00:01.000000Z",
  });
});

test("what is no Protobuf of the type is refused by name", () => {
  const rows: readonly (readonly [Partial<Field> & { readonly type: Type }, string, string])[] = [
    [{ type: string }, "0a", "proto: unexpected end of data"],
    [{ type: string }, "0a0261", "proto: unexpected end of data"],
    [{ type: string }, "0affffffff0f61", "proto: unexpected end of data"],
    [{ type: string }, "0affffffffffffffffff0161", "proto: unexpected end of data"],
    [{ type: inner }, "0a02 0a05 6162636465", "proto: unexpected end of data"],
    [{ type: string }, "1a0561", "proto: unexpected end of data"],
    [{ type: string }, "11010203", "proto: unexpected end of data"],
    [{ type: { kind: "double" } }, "09010203", "proto: unexpected end of data"],
    [{ type: { kind: "int32" } }, "0880", "proto: unexpected end of data"],
    [{ type: string }, "0801", "proto: wrong wire type 0 for field T.f, expected 2"],
    [{ type: { kind: "int32" } }, "0a0101", "proto: wrong wire type 2 for field T.f, expected 0"],
    [{ type: inner }, "0a03 120161", "proto: wrong wire type 2 for field Inner.n, expected 0"],
    [{ type: listOf(string) }, "0801", "proto: wrong wire type 0 for field T.f, expected 2"],
    [{ type: mapOf(string) }, "0a02 0801", "proto: wrong wire type 0 for field T.f, expected 2"],
    [{ type: string }, "0b0c", "proto: wrong wire type 3 for field T.f, expected 2"],
    [{ type: string }, "1314", "proto: groups are not supported"],
    [{ type: string }, "16", "proto: illegal wire type 6"],
    [{ type: string }, "00", "proto: illegal tag 0"],
    [{ type: string }, "808080808001", "proto: illegal tag 34359738368"],
    [{ type: { kind: "int64" } }, "08ffffffffffffffffffff01", "proto: varint of more than 64 bits"],
    [{ type: { kind: "int64" } }, "08ffffffffffffffffff02", "proto: varint of more than 64 bits"],
    [{ type: { kind: "int32" } }, "088080808008", "T.f: expected int32, got number 2147483648: out of range"],
    [{ type: string }, "0a01ff", "proto: invalid UTF-8 in a string"],
    [{ type: { kind: "double" } }, "09 000000000000f07f", "T.f: expected number, got Infinity"],
    [{ type: { kind: "time" } }, "0a07 08ffffffffff7f", "T.f: 4398046511103 s and 0 ns is not an RFC 3339 time"],
    [
      { type: { kind: "quantity" } },
      "0a03 0a0178",
      "T.f: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [{ type: { kind: "intOrString" } }, "0a02 0802", "T.f: expected int or string, got type 2"],
    [{ type: { kind: "fieldsV1" } }, "0a03 0a0131", "T.f: expected object"],
    [
      { type: { kind: "raw" } },
      "0a06 0a04 6b387300",
      "T.f: expected the object as JSON: invalid character 'k' looking for beginning of value",
    ],
  ];
  for (const [spec, wire, text] of rows) {
    assert.throws(
      () => decodeMessage(one(spec), hex(wire)),
      (error: unknown) => error instanceof DecodeError && assert.equal(error.message, text) === undefined,
      `${wire} ${text}`,
    );
  }
});

test("messages in messages end at the limit", () => {
  const self: MessageType = message({
    name: "Self",
    fields: () => [field({ name: "self", number: 1, type: self, pointer: true, omitempty: true })],
  });
  const nested = (depth: number): Buffer => {
    let tree: JsonObject = {};
    for (let i = 0; i < depth; i++) tree = { self: tree };
    return encodeMessage(self, tree);
  };
  assert.ok("self" in decodeMessage(self, nested(99)));
  for (const depth of [100, 500]) {
    assert.throws(() => decodeMessage(self, nested(depth)), /^DecodeError: proto: exceeded max depth of 100$/);
  }
});

test("a type is compiled when it is used, and only what it uses", () => {
  let asked = 0;
  const rare = message({
    name: "Rare",
    fields: () => {
      asked++;
      return [];
    },
  });
  const type = one({ type: rare, ...pointer });
  assert.deepEqual(decodeMessage(type, encodeMessage(type, {})), {});
  assert.equal(asked, 0);
  assert.deepEqual(decodeMessage(type, encodeMessage(type, { f: {} })), { f: {} });
  assert.equal(asked, 1);
});

test("a type without a Protobuf form and a tree that does not fit are faults of the caller", () => {
  const table = message({ name: "Table", protobuf: false, fields: () => [] });
  assert.throws(() => encodeMessage(table, {}), TypeError);
  assert.throws(() => decodeMessage(table, Buffer.alloc(0)), TypeError);
  for (const [type, f] of [
    [string, 1],
    [{ kind: "int32" }, "1"],
    [listOf(string), {}],
    [mapOf(string), []],
    [inner, "x"],
    [{ kind: "time" }, "soon"],
  ] as const) {
    assert.throws(() => encodeMessage(one({ type }), { f }), TypeError);
  }
  assert.deepEqual(encodeMessage(one({ type: string }), { f: "ok" }), hex("0a026f6b"));
});

const tree = fc.record({
  a: fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
  n: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  list: fc.array(fc.string({ unit: "grapheme" }), { minLength: 1 }),
});

test("every tree comes back as it went", () => {
  const type = message({
    name: "All",
    fields: () => [
      field({ name: "big", number: 7, type: { kind: "int64" } }),
      field({ name: "map", number: 3, type: mapOf(inner) }),
      field({ name: "list", number: 1, type: listOf(inner) }),
      field({ name: "bytes", number: 20, type: { kind: "bytes" } }),
    ],
  });
  const all = fc.record({
    big: fc.maxSafeInteger(),
    map: fc.dictionary(fc.string({ unit: "grapheme" }), tree, { minKeys: 1 }),
    list: fc.array(tree, { minLength: 1 }),
    bytes: fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("base64")),
  });
  fc.assert(
    fc.property(all, (value) => {
      const plain = JSON.parse(JSON.stringify(value));
      assert.deepEqual(decodeMessage(type, encodeMessage(type, plain)), plain);
    }),
  );
});

test("bytes from anywhere, and a Pod with some of them changed, never end the process", () => {
  const sound = encodeMessage(podType, pod);
  const broken = fc
    .array(fc.tuple(fc.nat({ max: sound.length - 1 }), fc.nat({ max: 255 })), { minLength: 1, maxLength: 4 })
    .map((changes) => {
      const bytes = Buffer.from(sound);
      for (const [at, byte] of changes) bytes[at] = byte;
      return bytes;
    });
  fc.assert(
    fc.property(
      fc.oneof(
        broken,
        fc.uint8Array({ maxLength: 80 }).map((b) => Buffer.from(b)),
      ),
      (bytes) => {
        try {
          // What is read can be written.
          encodeMessage(podType, decodeMessage(podType, bytes));
        } catch (error) {
          assert.ok(error instanceof DecodeError, String(error));
        }
      },
    ),
    { numRuns: 1000 },
  );
});
