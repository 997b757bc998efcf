import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { complete } from "./complete.js";
import { DecodeError, decode } from "./decode.js";
import { type Field, field, type MessageType, message, type Type } from "./descriptor.js";

const scalar = (kind: "string" | "int32" | "bool" | "quantity" | "intOrString" | "bytes" | "time" | "any"): Type => ({
  kind,
});
const optional = { omitempty: true } as const;
const map = (value: Type): Type => ({ kind: "map", value, mapType: "granular" });
const list = (item: Type): Type => ({ kind: "list", item, listType: "atomic", keys: [], wrapped: false });

const part: MessageType = message({
  name: "test/v1.Part",
  fields: () => [
    field({ name: "name", type: scalar("string"), required: true }),
    field({ name: "size", type: scalar("quantity"), ...optional, pointer: true }),
    field({ name: "parts", type: list(part), ...optional }),
  ],
});
const inline: MessageType = message({
  name: "test/v1.Inline",
  fields: (): readonly Field[] => [field({ name: "path", type: scalar("string"), ...optional })],
});
const thing: MessageType = message({
  name: "test/v1.Thing",
  object: true,
  fields: () => [
    field({ name: "data", type: map(scalar("string")), ...optional }),
    field({ name: "blob", type: map(scalar("bytes")), ...optional }),
    field({ name: "count", type: scalar("int32"), ...optional }),
    field({ name: "replicas", type: scalar("int32"), ...optional, pointer: true }),
    field({ name: "paused", type: scalar("bool"), ...optional }),
    field({ name: "port", type: scalar("intOrString"), ...optional }),
    field({ name: "at", type: scalar("time"), ...optional }),
    field({ name: "parts", type: list(part), ...optional }),
    field({ name: "free", type: scalar("any"), ...optional, pointer: true }),
    field({ name: "", type: inline, inline: true, number: 9 }),
  ],
});

test("a tree that needs no change comes back as it is", () => {
  const tree = { kind: "Thing", apiVersion: "v1", data: { a: "b" }, parts: [{ name: "x", size: "1Gi" }], path: "/" };
  const decoded = decode(thing, tree);
  assert.equal(decoded.value, tree);
  assert.deepEqual(decoded.unknown, []);
});

test("unknown fields are dropped and reported with their paths", () => {
  const tree = { foo: 1, parts: [{ name: "a", bar: {} }], Data: {}, count: 2 };
  const decoded = decode(thing, tree);
  assert.deepEqual(decoded.unknown, ["foo", "parts[0].bar", "Data"]);
  assert.deepEqual(decoded.value, { parts: [{ name: "a" }], count: 2 });
});

test("nulls and zero values that mean absence are dropped, pointers to zero are kept", () => {
  const tree = { data: {}, count: 0, paused: false, replicas: 0, parts: [], at: null, port: 0, path: "" };
  assert.deepEqual(decode(thing, tree).value, { replicas: 0 });
});

test("empty lists and maps that are always written are absent, too, but for a list that must be named", () => {
  const type = message({
    name: "T",
    fields: () => [
      field({ name: "list", number: 1, type: list(scalar("string")) }),
      field({ name: "map", number: 2, type: map(scalar("string")) }),
      field({ name: "pointer", number: 3, type: list(scalar("string")), pointer: true }),
      field({ name: "named", number: 4, type: list(scalar("string")), check: { present: true } }),
      field({ name: "config", type: list(scalar("string")) }),
    ],
  });
  // What Protobuf does not know is a file: there an empty list is one.
  const empty = { list: [], map: {}, pointer: [], named: [], config: [] };
  assert.deepEqual(decode(type, empty).value, { pointer: [], named: [], config: [] });
  assert.deepEqual(complete(type, empty), { ...empty, list: null, map: null, named: null });
});

test("the first instant of the first year is absence, but for a pointer", () => {
  const type = message({
    name: "T",
    fields: () => [
      field({ name: "at", type: scalar("time") }),
      field({ name: "pointer", type: scalar("time"), pointer: true }),
    ],
  });
  const first = "0001-01-01T00:00:00Z";
  assert.deepEqual(decode(type, { at: first, pointer: first }).value, { pointer: first });
});

test("in lists and maps a null is the zero value, which of a time is null", () => {
  const type = message({
    name: "T",
    fields: () => [
      field({ name: "times", type: map(scalar("time")) }),
      field({ name: "moments", type: list(scalar("time")) }),
      field({ name: "texts", type: map(scalar("string")) }),
    ],
  });
  const at = "2024-02-29T10:00:00Z";
  assert.deepEqual(decode(type, { times: { a: null, b: at }, moments: [null, at], texts: { a: null } }).value, {
    times: { a: null, b: at },
    moments: [null, at],
    texts: { a: "" },
  });
});

test("values come out in canonical form", () => {
  const tree = { at: "2024-02-29T10:00:00.5+02:00", parts: [{ name: "a", size: 1.5 }, null], blob: { k: "YQ\n==" } };
  assert.deepEqual(decode(thing, tree).value, {
    at: "2024-02-29T08:00:00Z",
    parts: [{ name: "a", size: "1500m" }, {}],
    blob: { k: "YQ==" },
  });
});

for (const [what, tree, message] of [
  ["a number for text", { data: { k: 1 } }, "data.k: expected string, got number"],
  ["a list for an object", [], "expected object, got array"],
  ["text for a number", { replicas: "1" }, "replicas: expected int32, got string"],
  ["a fraction", { replicas: 1.5 }, "replicas: expected int32, got number 1.5"],
  ["a number out of range", { replicas: 2 ** 31 }, "replicas: expected int32, got number 2147483648: out of range"],
  ["a flag for int or string", { port: true }, "port: expected int or string, got bool"],
  ["base64 that is none", { blob: { k: "a" } }, "blob.k: illegal base64 data"],
  ["a time that is none", { at: "2024-02-30T00:00:00Z" }, 'at: "2024-02-30T00:00:00Z" is not an RFC 3339 time'],
  [
    "an object in a list of a list",
    { parts: [{ name: "a", parts: {} }] },
    "parts[0].parts: expected array, got object",
  ],
  [
    "a quantity that is none",
    { parts: [{ name: "a", size: "zz" }] },
    "parts[0].size: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
] as const) {
  test(`${what} is refused with its path`, () => {
    assert.throws(
      () => decode(thing, tree),
      (e) => e instanceof DecodeError && e.message === message,
    );
  });
}

test("a __proto__ key stays an own property of a map and changes no prototype", () => {
  const tree: unknown = JSON.parse('{"data":{"__proto__":"x","a":"b"},"__proto__":{"polluted":true}}');
  const { value, unknown } = decode(thing, tree);
  assert.deepEqual(unknown, ["__proto__"]);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.ok(Object.hasOwn(value["data"] as object, "__proto__"));
  const copied = decode(thing, JSON.parse('{"blob":{"__proto__":"YQ==","a":"YQ\\n==","b":"YQ=="}}'));
  assert.equal(JSON.stringify(copied.value), '{"blob":{"__proto__":"YQ==","a":"YQ==","b":"YQ=="}}');
});

test("free-form values are not walked, however deep they are", () => {
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  assert.equal(decode(thing, { free: deep }).value["free"], deep);
});

test("decoding what was decoded changes nothing", () => {
  const anyPart = fc.record({
    name: fc.string(),
    size: fc.constantFrom("1000m", "1024Mi", "0.5", "2e3", null),
    other: fc.jsonValue(),
  });
  const anyThing = fc.record(
    {
      data: fc.dictionary(fc.string(), fc.string()),
      count: fc.integer({ min: 0, max: 9 }),
      parts: fc.array(anyPart),
      at: fc.constant(null),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(anyThing, (tree) => {
      const once = decode(thing, tree).value;
      const twice = decode(thing, once);
      assert.equal(twice.value, once);
      assert.deepEqual(twice.unknown, []);
    }),
  );
});

test("a duration of zero is absence where zero is", () => {
  const duration: Type = { kind: "duration" };
  const type = message({
    name: "test/v1.Durations",
    fields: () => [
      field({ name: "plain", type: duration, ...optional }),
      field({ name: "pointer", type: duration, ...optional, pointer: true }),
      field({ name: "written", type: duration }),
    ],
  });
  const zero = { plain: "0", pointer: "0", written: "0" };
  assert.deepEqual(decode(type, zero).value, { pointer: "0s", written: "0s" });
  assert.deepEqual(decode(type, { plain: "90s" }).value, { plain: "1m30s" });
});
