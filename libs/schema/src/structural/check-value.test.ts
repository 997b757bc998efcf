import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldError } from "@orch/status/field-error.js";
import { checkValue } from "./check-value.js";
import { compileSchema } from "./compile.js";
import type { JsonSchema, SchemaMap } from "./json-schema.js";
import { validateCustom } from "./validate-custom.js";

type Wanted = string | RegExp;

const root = (properties: SchemaMap, more: JsonSchema = {}): JsonSchema => ({ type: "object", properties, ...more });
const text: JsonSchema = { type: "string" };
const listOf = (items: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ type: "array", items, ...more });

/** The type of one field, and what is wrong with a value of it. */
function errorsOf(schema: JsonSchema, value: unknown): readonly FieldError[] {
  const type = compileSchema(root({ f: schema }), { name: "Test" }).byName.get("f")?.type;
  assert.ok(type !== undefined);
  return checkValue(type, value, { root: "v" });
}

const values: readonly (readonly [string, JsonSchema, unknown, readonly Wanted[]])[] = [
  ["a text", text, "a", []],
  ["a number for a text", text, 1, [`v: Invalid value: "integer":  in body must be of type string: "integer"`]],
  ["null", text, null, [/^v: Invalid value: "null": {2}in body must be of type string/]],
  ["null where it may be", { ...text, nullable: true }, null, []],
  ["a whole number for any", { type: "number" }, 1, []],
  ["a fraction for a whole number", { type: "integer" }, 1.5, [/must be of type integer: "number"$/]],
  ["a number or text", { "x-kubernetes-int-or-string": true }, true, [/must be of type integer,string: "boolean"$/]],
  ["a member", { enum: ["a", 1] }, 1, []],
  ["no member", { enum: ["a", 1] }, 2, ['v: Unsupported value: 2: supported values: "a", "1"']],
  ["a number too high", { maximum: 1 }, 2, ["v: Invalid value: 2:  in body should be less than or equal to 1"]],
  [
    "a number as high as excluded",
    { maximum: 1, exclusiveMaximum: true },
    1,
    ["v: Invalid value: 1:  in body should be less than 1"],
  ],
  ["a number too low", { minimum: 1 }, 0, ["v: Invalid value: 0:  in body should be greater than or equal to 1"]],
  [
    "a number as low as excluded",
    { minimum: 1, exclusiveMinimum: true },
    1,
    ["v: Invalid value: 1:  in body should be greater than 1"],
  ],
  ["an odd number", { multipleOf: 2 }, 3, ["v: Invalid value: 3:  in body should be a multiple of 2"]],
  ["a text too long", { maxLength: 1 }, "ab", ["v: Too long: may not be more than 1 bytes"]],
  ["a text of one long character", { maxLength: 1 }, "\u{1F600}", []],
  ["a text too short", { minLength: 1 }, "", [`v: Invalid value: "":  in body should be at least 1 chars long`]],
  ["a list too long", { maxItems: 1 }, [1, 2], ["v: Too many: 2: must have at most 1 items"]],
  ["a list too short", { minItems: 1 }, [], ["v: Invalid value: 0:  in body should have at least 1 items"]],
  ["an object too big", { maxProperties: 0 }, { a: 1 }, ["v: Too many: 1: must have at most 0 items"]],
  [
    "an object too small",
    { minProperties: 1 },
    {},
    ["v: Invalid value: 0:  in body should have at least 1 properties"],
  ],
  [
    "wrong values deep down",
    root({ a: listOf(root({ b: text }, { required: ["c"] })), m: { additionalProperties: text } }),
    { a: [{ b: 1 }], m: { k: 2 } },
    [
      `v.a[0].b: Invalid value: "integer": a[0].b in body must be of type string: "integer"`,
      "v.a[0].c: Required value",
      `v.m.k: Invalid value: "integer": m.k in body must be of type string: "integer"`,
    ],
  ],
  ["one of some", { anyOf: [{ minimum: 5 }, { maximum: 1 }] }, 1, []],
  [
    "none of some",
    { anyOf: [{ minimum: 5 }, { maximum: 1 }] },
    3,
    [
      'v: Invalid value: "": "" must validate at least one schema (anyOf)',
      "v: Invalid value: 3:  in body should be greater than or equal to 5",
    ],
  ],
  [
    "none of one",
    { oneOf: [{ minimum: 5 }] },
    1,
    [
      'v: Invalid value: "": "" must validate one and only one schema (oneOf). Found none valid',
      /should be greater than or equal to 5$/,
    ],
  ],
  ["two of one", { oneOf: [{ minimum: 5 }, { minimum: 6 }] }, 7, [/Found 2 valid alternatives$/]],
  [
    "not all",
    { allOf: [{ minimum: 5 }, { maximum: 6 }] },
    7,
    [/should be less than or equal to 6$/, 'v: Invalid value: "": "" must validate all the schemas (allOf)'],
  ],
  ["none of all", { allOf: [{ minimum: 5 }] }, 1, [/equal to 5$/, /all the schemas \(allOf\). None validated$/]],
  [
    "the alternative of which most was looked at",
    { anyOf: [{ required: ["z"] }, { properties: { a: { minLength: 2 } }, required: ["b"] }] },
    { a: "x" },
    [/\(anyOf\)$/, 'v.a: Invalid value: "x": a in body should be at least 2 chars long', "v.b: Required value"],
  ],
  ["a text of no such pattern", { pattern: "^a+$" }, "b", [`v: Invalid value: "b":  in body should match '^a+$'`]],
  ["a text that a part of matches", { pattern: "b" }, "abc", []],
  [
    "a text with an impossible pattern",
    { pattern: "[" },
    "b",
    [/should match '\[, but pattern is invalid: error parsing/],
  ],
  [
    "a text with more than one fault",
    { maxLength: 1, pattern: "^a" },
    "bc",
    ["v: Too long: may not be more than 1 bytes"],
  ],
  ["a text of a format", { type: "string", format: "ipv4" }, "1.2.3.4", []],
  ["a text of a format that nobody checks", { type: "string", format: "special" }, "x", []],
  [
    "no text of a format",
    { type: "string", format: "ipv4" },
    "x",
    ['v: Invalid value: "x":  in body must be of type ipv4: "x"'],
  ],
  [
    "a number for a text of a format",
    { type: "string", format: "ipv4" },
    1,
    ['v: Invalid value: "int64":  in body must be of type ipv4: "int64"'],
  ],
  [
    "a whole number above the whole part of a bound",
    { type: "number", maximum: 2.5 },
    3,
    ["v: Invalid value: 3:  in body should be less than or equal to 2"],
  ],
  ["a whole number below a bound, not below its whole part", { type: "number", minimum: 0.5 }, 0, []],
  ["a number beyond 64 bits", { type: "integer" }, 1e19, [/must be of type integer: "number"$/]],
  [
    "a member of a map of too many",
    { type: "object", maxProperties: 1, additionalProperties: { type: "integer" } },
    { a: 1, b: "x" },
    ["v: Too many: 2: must have at most 1 items", /^v\.b: .* must be of type integer: "string"$/],
  ],
  ["a great number in the format of a small", { type: "integer", format: "int32" }, 5_000_000_000, []],
  [
    "a null that may be, but is no member",
    { type: "string", nullable: true, enum: ["a"] },
    null,
    [/^v: Unsupported value: "null"/],
  ],
  [
    "a number of another type that is no member",
    { type: "string", enum: ["a"] },
    1,
    [/must be of type string/, /^v: Unsupported value: 1/],
  ],
  ["a fraction that is a multiple", { multipleOf: 0.1 }, 0.3, []],
  ["a great number that is no multiple", { multipleOf: 2 }, 9_007_199_254_740_993n, [/should be a multiple of 2$/]],
  ["a list of equal items", { uniqueItems: true }, [1, { a: 1 }, { a: 1 }], [/shouldn't contain duplicates$/]],
  [
    "a map's value",
    { type: "object", additionalProperties: text },
    { k: 1 },
    ['v.k: Invalid value: "integer": .k in body must be of type string: "integer"'],
  ],
  ["what may not be", { not: { minimum: 5 } }, 7, ['v: Invalid value: "": "" must not validate the schema (not)']],
];

for (const [what, schema, value, wanted] of values) {
  test(`a value: ${what}`, () => {
    const found = errorsOf(schema, value).map((e) => `${e.field}: ${e.message}`);
    assert.equal(found.length, wanted.length, found.join("\n"));
    for (const [i, want] of wanted.entries()) {
      if (typeof want === "string") assert.equal(found[i], want);
      else assert.match(found[i] ?? "", want);
    }
  });
}

/** Schemas before and after, the stored value, and what writes of other values get. */
const ratchetings: readonly (readonly [
  string,
  JsonSchema,
  unknown,
  readonly (readonly [unknown, readonly string[]])[],
])[] = [
  [
    "minimum",
    { type: "integer", minimum: 5 },
    1,
    [
      [1, []],
      [2, ["f: Invalid value: 2: f in body should be greater than or equal to 5"]],
    ],
  ],
  [
    "enum",
    { type: "string", enum: ["a"] },
    "b",
    [
      ["b", []],
      ["c", ['f: Unsupported value: "c": supported values: "a"']],
    ],
  ],
  [
    "required",
    root({ a: text, b: text }, { required: ["b"] }),
    { a: "1" },
    [
      [{ a: "1" }, []],
      [{ a: "2" }, ["f.b: Required value"]],
    ],
  ],
  [
    "maxItems of an atomic list",
    listOf(text, { maxItems: 1 }),
    ["a", "b"],
    [
      [["a", "b"], []],
      [["a", "c"], ["f: Too many: 2: must have at most 1 items"]],
    ],
  ],
  [
    "item of an atomic list",
    listOf({ type: "string", maxLength: 1 }),
    ["aa", "bb"],
    [
      [["aa", "bb"], []],
      [
        ["aa", "bb", "c"],
        ["f[0]: Too long: may not be more than 1 bytes", "f[1]: Too long: may not be more than 1 bytes"],
      ],
    ],
  ],
  [
    "item of a list map",
    listOf(root({ n: text, v: { type: "integer", minimum: 5 } }, { required: ["n"] }), {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["n"],
    }),
    [{ n: "a", v: 1 }],
    [
      [
        [
          { n: "b", v: 6 },
          { n: "a", v: 1 },
        ],
        [],
      ],
      [[{ n: "b", v: 1 }], ["f[0].v: Invalid value: 1: f[0].v in body should be greater than or equal to 5"]],
    ],
  ],
  [
    "list type set",
    listOf(text, { "x-kubernetes-list-type": "set" }),
    ["a", "a"],
    [
      [["a", "a"], []],
      [["a", "a", "b"], []],
    ],
  ],
  [
    "anyOf",
    { type: "string", anyOf: [{ minLength: 3 }, { pattern: "^q" }] },
    "a",
    [
      ["a", []],
      [
        "b",
        [
          '<nil>: Invalid value: "": "f" must validate at least one schema (anyOf)',
          'f: Invalid value: "b": f in body should be at least 3 chars long',
        ],
      ],
    ],
  ],
];

for (const [what, schema, old, writes] of ratchetings) {
  for (const [value, wanted] of writes) {
    test(`a schema got stricter (${what}): ${JSON.stringify(old)} becomes ${JSON.stringify(value)}`, () => {
      const type = compileSchema(root({ f: schema }), { name: "Test" });
      const errors = validateCustom(type, { f: value, other: "x" }, { old: { f: old } });
      assert.deepEqual(
        errors.map((e) => `${e.field}: ${e.message}`),
        wanted,
      );
    });
  }
}

test("a thousand alternatives for every item of a great list are too many to look at", () => {
  const alternatives = Array.from({ length: 1000 }, (_, i) => ({ minimum: i + 2 }));
  const errors = errorsOf(listOf({ type: "integer", anyOf: alternatives }), new Array(10_000).fill(1));
  assert.deepEqual(
    errors.map((e) => e.reason),
    ["FieldValueForbidden"],
  );
});
