import assert from "node:assert/strict";
import { test } from "node:test";
import { applyDefaults } from "./defaults.js";
import { type Check, field, type MessageType, message, type Type } from "./descriptor.js";
import { equal } from "./equal.js";
import { validate, validateImmutable } from "./validate.js";

const text: Type = { kind: "string" };
const whole: Type = { kind: "int32" };
const listOf = (item: Type): Type => ({ kind: "list", item, listType: "atomic", keys: [], wrapped: false });
const mapOf = (value: Type): Type => ({ kind: "map", value, mapType: "granular" });
const optional = { omitempty: true } as const;
const checked = (name: string, type: Type, check: Check) => field({ name, type, ...optional, check });

const port: MessageType = message({
  name: "t/v1.Port",
  fields: () => [
    checked("name", text, { format: "dnsLabel" }),
    field({ name: "port", type: whole, required: true, check: { range: [1, 65535] } }),
    field({
      name: "protocol",
      type: text,
      ...optional,
      default: "TCP",
      values: ["UDP", "TCP"],
      check: { required: true },
    }),
  ],
});
const thing: MessageType = message({
  name: "t/v1.Thing",
  fields: () => [
    checked("ports", listOf(port), { maxItems: 3, unique: ["name"] }),
    checked("data", mapOf(text), { keys: { format: "configKey" }, items: { maxBytes: 3 } }),
    checked("count", whole, { above: 0 }),
    checked("modes", listOf(text), { items: { oneOf: ["b", "a"] } }),
    field({ name: "grace", type: whole, pointer: true, ...optional, default: 30, check: { min: 0 } }),
    checked("type", text, { required: "must be set", immutable: true }),
    field({ name: "size", type: { kind: "quantity" }, pointer: true, ...optional }),
    field({ name: "empty", type: message({ name: "t/v1.Empty", fields: () => [] }), pointer: true, ...optional }),
    field({ name: "self", type: thing, pointer: true, ...optional }),
  ],
});

const rows: readonly (readonly [string, Record<string, unknown>, readonly string[]])[] = [
  ["a good object", { type: "a", ports: [{ port: 1, protocol: "TCP" }] }, []],
  ["a missing field", {}, ["type: Required value: must be set"]],
  [
    "values out of range",
    { type: "a", ports: [{ port: 0, protocol: "TCP" }], count: -1, grace: -1 },
    [
      "ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
      "count: Invalid value: -1: must be greater than 0",
      "grace: Invalid value: -1: must be greater than or equal to 0",
    ],
  ],
  [
    "a value outside its set",
    { type: "a", ports: [{ port: 1, protocol: "X" }] },
    ['ports[0].protocol: Unsupported value: "X": supported values: "UDP", "TCP"'],
  ],
  [
    "names given twice",
    { type: "a", ports: ["b", "b"].map((name) => ({ name, port: 1, protocol: "TCP" })) },
    ['ports[1].name: Duplicate value: "b"'],
  ],
  [
    "too many items, told once",
    { type: "a", ports: ["b", "b", "b", "b"].map((name) => ({ name, port: 1, protocol: "TCP" })) },
    ["ports: Too many: 4: must have at most 3 items"],
  ],
  [
    "map entries",
    { type: "a", data: { "a b": "1", c: "four" } },
    [
      "data: Invalid value: \"a b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
      "data: Too long: may not be more than 3 bytes",
    ],
  ],
  [
    "a text outside a set that is not published",
    { type: "a", modes: ["a", "c"] },
    ['modes[1]: Unsupported value: "c": supported values: "b", "a"'],
  ],
  ["a nested object", { type: "a", self: { type: "" } }, ["self.type: Required value: must be set"]],
];

for (const [what, object, expected] of rows) {
  test(`${what} is validated`, () => {
    const errors = validate(thing, object).map((e) => `${e.field}: ${e.message}`);
    assert.deepEqual(errors, expected);
  });
}

test("an immutable field that changes is told", () => {
  assert.deepEqual(validateImmutable(thing, { type: "b" }, { type: "a" }), [
    { reason: "FieldValueInvalid", message: 'Invalid value: "b": field is immutable', field: "type" },
  ]);
});

test("defaults are set where nothing stands, and twice is as once", () => {
  const once = applyDefaults(thing, { type: "a", ports: [{ port: 1 }], grace: 0 });
  assert.deepEqual(once, { type: "a", ports: [{ port: 1, protocol: "TCP" }], grace: 0 });
  assert.equal(applyDefaults(thing, once), once);
});

for (const [what, a, b, expected] of [
  ["nothing and empty", { ports: [] }, { data: {} }, true],
  ["zero and absent", { count: 0 }, {}, true],
  ["a pointer to zero and absent", { grace: 0 }, {}, false],
  ["an empty pointer and absent", { empty: {} }, {}, false],
  ["quantities of one value", { size: "1Ki" }, { size: "1024" }, true],
  ["quantities of two values", { size: "1Ki" }, { size: "1k" }, false],
  ["lists in another order", { ports: [{ port: 1 }, { port: 2 }] }, { ports: [{ port: 2 }, { port: 1 }] }, false],
] as const) {
  test(`${what} are ${expected ? "equal" : "different"}`, () => assert.equal(equal(thing, a, b), expected));
}
