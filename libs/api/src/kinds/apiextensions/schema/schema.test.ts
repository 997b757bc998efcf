import assert from "node:assert/strict";
import { test } from "node:test";
import { resolvePath } from "@orch/schema/structural/field-path.js";
import type { JsonSchema, SchemaMap } from "@orch/schema/structural/json-schema.js";
import { expectErrors, type Wanted } from "../../../testing/error-rows.js";
import { validateDefaults } from "./defaults.js";
import { type SchemaChecks, validateSchema } from "./rules.js";
import { isStructural, unstructured, validateStructural } from "./structural.js";

const checks: SchemaChecks = {
  knownTypes: true,
  patterns: true,
  atomicSets: true,
  listMapKeys: true,
  noDefaults: undefined,
};
const texts = (errors: readonly { readonly field: string; readonly message: string }[]) =>
  errors.map((e) => `${e.field}: ${e.message}`);

const root = (properties: SchemaMap, more: JsonSchema = {}): JsonSchema => ({ type: "object", properties, ...more });
const field = (schema: JsonSchema): JsonSchema => root({ a: schema });
const text: JsonSchema = { type: "string" };
const listOf = (items: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ type: "array", items, ...more });
const intOrText: JsonSchema = { anyOf: [{ type: "integer" }, { type: "string" }] };
const open: JsonSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const structures: readonly (readonly [string, JsonSchema, readonly Wanted[]])[] = [
  [
    "of an object",
    root({ spec: root({ a: text, b: listOf(text), c: { type: "object", additionalProperties: text } }) }),
    [],
  ],
  ["of nothing", {}, ["s.type: Required value: must not be empty at the root"]],
  ["of a text", text, ['s.type: Invalid value: "string": must be object at the root']],
  ["of everything", { "x-kubernetes-preserve-unknown-fields": true }, []],
  [
    "with a field of no type",
    field({}),
    ["s.properties[a].type: Required value: must not be empty for specified object fields"],
  ],
  [
    "with an item of no type",
    field(listOf({})),
    ["s.properties[a].items.type: Required value: must not be empty for specified array items"],
  ],
  ["with a list of what", field({ type: "array" }), ["s.properties[a].items: Required value: must be specified"]],
  [
    "that is a map",
    { type: "object", additionalProperties: text },
    ["s.additionalProperties: Forbidden: must not be used at the root"],
  ],
  ["with a map", field({ type: "object", additionalProperties: true }), []],
  ["with a number or text", field({ "x-kubernetes-int-or-string": true }), []],
  ["with a number or text, said", field({ "x-kubernetes-int-or-string": true, ...intOrText }), []],
  [
    "with a number or text, said and narrowed",
    field({ "x-kubernetes-int-or-string": true, allOf: [intOrText, { pattern: "a" }] }),
    [],
  ],
  [
    "with a number or text that is said too late",
    field({ "x-kubernetes-int-or-string": true, allOf: [{ pattern: "a" }, intOrText] }),
    [
      "s.properties[a].allOf[1].anyOf[0].type: Forbidden: must be empty to be structural",
      "s.properties[a].allOf[1].anyOf[1].type: Forbidden: must be empty to be structural",
    ],
  ],
  [
    "with a number or text that is an object too",
    field({ "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true }),
    [
      "s.properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true",
    ],
  ],
  ["with a whole object", field({ ...open, "x-kubernetes-embedded-resource": true }), []],
  ["with a whole object and its fields", field(root({ spec: open }, { "x-kubernetes-embedded-resource": true })), []],
  [
    "with a whole object of no type and no fields",
    field({ "x-kubernetes-embedded-resource": true }),
    [
      "s.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      "s.properties[a].type: Required value: must be object if x-kubernetes-embedded-resource is true",
    ],
  ],
  [
    "with a whole object that is a text map",
    field({
      type: "string",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
      additionalProperties: text,
    }),
    [
      "s.properties[a].additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set",
      's.properties[a].type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true',
    ],
  ],
  [
    "with metadata of its own",
    root({ kind: { type: "integer" }, apiVersion: text, metadata: root({ labels: open }) }),
    [
      's.properties[kind].type: Invalid value: "integer": must be string',
      "s.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ],
  ],
  [
    "with narrower names",
    root({ metadata: root({ name: { type: "string", pattern: "^a" }, generateName: text }) }),
    [],
  ],
  [
    "with metadata that is a text",
    root({ metadata: text }),
    ['s.properties[metadata].type: Invalid value: "string": must be object'],
  ],
  [
    "that speaks of types below junctions",
    root(
      { a: { type: "integer" } },
      {
        anyOf: [{ type: "object", description: "d", title: "t", nullable: true, default: {} }],
        not: { properties: { a: { "x-kubernetes-list-type": "set", "x-kubernetes-map-type": "atomic" } } },
        oneOf: [{ properties: { metadata: { required: ["labels"] } } }],
      },
    ),
    [
      "s.anyOf[0].default: Forbidden: must be undefined to be structural",
      "s.anyOf[0].description: Forbidden: must be empty to be structural",
      "s.anyOf[0].nullable: Forbidden: must be false to be structural",
      "s.anyOf[0].title: Forbidden: must be empty to be structural",
      "s.anyOf[0].type: Forbidden: must be empty to be structural",
      "s.not.properties[a].x-kubernetes-list-type: Forbidden: must be undefined to be structural",
      "s.not.properties[a].x-kubernetes-map-type: Forbidden: must be undefined to be structural",
      "s.oneOf[0].properties[metadata]: Forbidden: must not be specified in a nested context",
      "s.properties[metadata]: Required value: because it is defined in s.oneOf[0].properties[metadata]",
    ],
  ],
  [
    "that narrows what is not there",
    root(
      { a: listOf(root({ b: text })) },
      { allOf: [{ properties: { a: { items: { properties: { c: { minLength: 1 } } } }, d: {} } }] },
    ),
    [
      "s.properties[a].items.properties[c]: Required value: because it is defined in s.allOf[0].properties[a].items.properties[c]",
      "s.properties[d]: Required value: because it is defined in s.allOf[0].properties[d]",
    ],
  ],
];

for (const [what, schema, wanted] of structures) {
  expectErrors(`a structure ${what}`, wanted, () => texts(validateStructural(schema, "s")));
  test(`a structure ${what} is ${wanted.length === 0 ? "" : "not "}structural`, () => {
    assert.equal(isStructural(schema), wanted.length === 0);
  });
}

const rules: readonly (readonly [string, JsonSchema, readonly Wanted[]])[] = [
  [
    "with what is not supported",
    {
      type: "object",
      id: "i",
      $ref: "r",
      patternProperties: { "^a": text },
      definitions: { d: {} },
      dependencies: { e: ["f"] },
      additionalItems: true,
      uniqueItems: true,
    },
    [
      "s.id: Forbidden: id is not supported",
      "s.additionalItems: Forbidden: additionalItems is not supported",
      "s.patternProperties: Forbidden: patternProperties is not supported",
      "s.definitions: Forbidden: definitions is not supported",
      "s.dependencies: Forbidden: dependencies is not supported",
      "s.$ref: Forbidden: $ref is not supported",
      "s.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
    ],
  ],
  [
    "of unknown types",
    root({ a: { type: "map" }, b: { type: "null" } }),
    [
      's.properties[a].type: Unsupported value: "map": supported values: "array", "boolean", "integer", "number", "object", "string"',
      /^s.properties\[b\].type: Unsupported value: "null"/,
      "s.properties[b].type: Forbidden: type cannot be set to null, use nullable as an alternative",
    ],
  ],
  [
    "with a schema for each item",
    field({ type: "array", items: [text, { type: "x" }] }),
    [
      "s.properties[a].items: Forbidden: items must be a schema object and not an array",
      /^s.properties\[a\].items\[1\].type: Unsupported value: "x"/,
    ],
  ],
  [
    "with what is no regular expression",
    field({ type: "string", pattern: "[" }),
    [
      's.properties[a].pattern: Invalid value: "[": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ]: `[`',
    ],
  ],
  [
    "with fields and keys",
    root({ a: text }, { additionalProperties: text }),
    ["s.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"],
  ],
  ["with fields and any others", root({ a: text }, { additionalProperties: true }), []],
  [
    "with defaults in its metadata",
    root({ kind: { type: "string", default: "K" }, metadata: root({ name: { type: "string", default: "n" } }) }),
    [
      "s.properties[kind].default: Forbidden: must not be set in top-level kind",
      "s.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata",
    ],
  ],
  [
    "with defaults in the labels of a whole object",
    field(
      root(
        { metadata: root({ labels: { type: "object", additionalProperties: { type: "string", default: "x" } } }) },
        { "x-kubernetes-embedded-resource": true },
      ),
    ),
    [
      "s.properties[a].properties[metadata].properties[labels].additionalProperties.default: Forbidden: must not be set inside additionalProperties applying to object metadata",
    ],
  ],
  [
    "with a whole object in its metadata",
    root({ metadata: root({ name: { "x-kubernetes-embedded-resource": true } }) }),
    [
      "s.properties[metadata].properties[name].x-kubernetes-embedded-resource: Forbidden: must not be used inside of resource meta",
    ],
  ],
  [
    "that keeps unknown fields not",
    { "x-kubernetes-preserve-unknown-fields": false },
    ["s.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined"],
  ],
  [
    "whose extensions do not fit its types",
    root({ a: { "x-kubernetes-map-type": "atomic" }, b: { type: "string", "x-kubernetes-list-type": "atomic" } }),
    [
      "s.properties[a].type: Required value: must be object if x-kubernetes-map-type is specified",
      's.properties[b].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified',
    ],
  ],
  [
    "of unknown extensions",
    root({
      a: { type: "object", "x-kubernetes-map-type": "x" },
      b: listOf(text, { "x-kubernetes-list-type": "x" }),
    }),
    [
      's.properties[a].x-kubernetes-map-type: Unsupported value: "x": supported values: "atomic", "granular"',
      's.properties[b].x-kubernetes-list-type: Unsupported value: "x": supported values: "atomic", "set", "map"',
    ],
  ],
  [
    "with sets of what is not atomic",
    root({
      a: listOf(listOf(text, { "x-kubernetes-list-type": "set" }), { "x-kubernetes-list-type": "set" }),
      b: listOf(open, { "x-kubernetes-list-type": "set" }),
      c: listOf({ ...open, "x-kubernetes-map-type": "atomic" }, { "x-kubernetes-list-type": "set" }),
    }),
    [
      's.properties[a].items.x-kubernetes-list-type: Invalid value: "set": must be atomic as item of a list with x-kubernetes-list-type=set',
      's.properties[b].items.x-kubernetes-map-type: Invalid value: "null": must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
  ],
  [
    "with a set of null",
    field(listOf({ ...text, nullable: true }, { "x-kubernetes-list-type": "set" })),
    ["s.properties[a].items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set"],
  ],
  [
    "with keys for no map",
    root({
      a: listOf(text, { "x-kubernetes-list-map-keys": ["k"] }),
      b: listOf(text, { "x-kubernetes-list-map-keys": ["k"], "x-kubernetes-list-type": "set" }),
    }),
    [
      "s.properties[a].x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty",
      's.properties[b].x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty',
    ],
  ],
  [
    "with a map of nothing",
    field({ type: "array", "x-kubernetes-list-type": "map" }),
    [
      "s.properties[a].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
      "s.properties[a].items: Required value: must have a schema if x-kubernetes-list-type is map",
    ],
  ],
  [
    "with a map of texts",
    field(listOf(text, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] })),
    [
      `s.properties[a].items.type: Invalid value: "string": must be object if parent array's x-kubernetes-list-type is map`,
    ],
  ],
  [
    "with a map by good keys",
    field(
      listOf(root({ k: text, l: { type: "integer", default: 1 } }, { required: ["k"] }), {
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k", "l"],
      }),
    ),
    [],
  ],
  [
    "with a map by poor keys",
    field(
      listOf(root({ k: { ...text, nullable: true }, m: { ...open, default: {} } }), {
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k", "k", "m", "n"],
      }),
    ),
    [
      's.properties[a].x-kubernetes-list-map-keys: Invalid value: ["k","k","m","n"]: must not contain duplicate entries',
      `s.properties[a].items.properties[m].type: Invalid value: "object": must be a scalar type if parent array's x-kubernetes-list-type is map`,
      's.properties[a].x-kubernetes-list-map-keys: Invalid value: ["k","k","m","n"]: entries must all be names of item properties',
      "s.properties[a].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
      "s.properties[a].items.properties[k].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
      "s.properties[a].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
      "s.properties[a].items.properties[k].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
    ],
  ],
  [
    "with rules",
    root(
      { a: text },
      {
        "x-kubernetes-validations": [
          { rule: "self.a != ''", message: "m", fieldPath: ".a", reason: "FieldValueInvalid" },
          { rule: " " },
          { rule: "r", message: " " },
          { rule: "r", message: "a\nb" },
          { rule: "r\nr" },
          { rule: "r", messageExpression: " ", reason: "X", fieldPath: ".b" },
          { rule: "r", fieldPath: ".a\n" },
        ],
      },
    ),
    [
      "s.x-kubernetes-validations[1].rule: Required value: rule is not specified",
      's.x-kubernetes-validations[2].message: Invalid value: " ": message must be non-empty if specified',
      's.x-kubernetes-validations[3].message: Invalid value: "a\\nb": message must not contain line breaks',
      "s.x-kubernetes-validations[4].message: Required value: message must be specified if rule contains line breaks",
      "s.x-kubernetes-validations[5].messageExpression: Required value: messageExpression must be non-empty if specified",
      /^s.x-kubernetes-validations\[5\].reason: Unsupported value: "X": supported values: "FieldValueDuplicate", /,
      's.x-kubernetes-validations[5].fieldPath: Invalid value: ".b": fieldPath must be a valid path',
      's.x-kubernetes-validations[6].fieldPath: Invalid value: ".a\\n": fieldPath must not contain line breaks',
      's.x-kubernetes-validations[6].fieldPath: Invalid value: ".a\\n": fieldPath must be a valid path',
    ],
  ],
];

for (const [what, schema, wanted] of rules) {
  expectErrors(`a schema ${what}`, wanted, () => texts(validateSchema(schema, "s", checks)));
}

expectErrors("a default where none may be", ["s.properties[a].default: Forbidden: must not be set (no)"], () =>
  texts(validateSchema(field({ type: "string", default: "x" }), "s", { ...checks, noDefaults: "(no)" })),
);

test("what takes a schema's structure away is told by name", () => {
  const rows: readonly (readonly [JsonSchema, string])[] = [
    [{ $schema: "x" }, "OpenAPIV3Schema 'schema' is not supported"],
    [field({ allOf: [{ $ref: "x" }] }), "OpenAPIV3Schema '$ref' is not supported"],
    [field(listOf({ items: [text] })), "OpenAPIV3Schema 'items' must be a schema, but is an array"],
  ];
  for (const [schema, reason] of rows) assert.equal(unstructured(schema), reason);
});

const defaults: readonly (readonly [string, JsonSchema, readonly Wanted[]])[] = [
  [
    "good",
    root({ a: { type: "integer", default: 1 }, b: listOf({ type: "string", default: "x" }, { default: ["y"] }) }),
    [],
  ],
  [
    "of another type",
    field({ type: "integer", default: "x" }),
    [/^s.properties\[a\].default: Invalid value: "string": {2}in body must be/],
  ],
  [
    "of unknown fields",
    field(root({ b: text }, { default: { c: 1 } })),
    ['s.properties[a].default: Invalid value: {"c":1}: must not have unknown fields'],
  ],
  ["of items", field(listOf({ type: "string", default: 1 })), [/^s.properties\[a\].items.default: /]],
  [
    "that are too long",
    field({ type: "string", maxLength: 2, default: "abc" }),
    ["s.properties[a].default: Too long: may not be more than 2 bytes"],
  ],
  [
    "of another pattern",
    field({ type: "string", pattern: "^a", default: "c" }),
    [`s.properties[a].default: Invalid value: "c":  in body should match '^a'`],
  ],
  [
    "that lack a field, though its default would be set",
    field(root({ b: text }, { required: ["b"], default: {} })),
    ["s.properties[a].default.b: Required value"],
  ],
  [
    "that are a whole object without a name",
    root({ spec: text }, { default: { spec: "x" } }),
    ["s.default.apiVersion: Required value: must not be empty", "s.default.kind: Required value: must not be empty"],
  ],
  [
    "with null in a map",
    field({ type: "object", additionalProperties: { type: "string", default: "x" }, default: { k: null } }),
    ['s.properties[a].default.k: Invalid value: "null": .k in body must be of type string: "null"'],
  ],
  [
    "that are no object where anything may be in one",
    field({ ...open, default: "x" }),
    ['s.properties[a].default: Invalid value: "string":  in body must be of type object: "string"'],
  ],
  ["of anything where anything may be", field({ ...open, default: { anything: [1] } }), []],
  ["of a number or text", field({ "x-kubernetes-int-or-string": true, default: 5 }), []],
  ["of neither a number nor text", field({ "x-kubernetes-int-or-string": true, default: true }), []],
];

for (const [what, schema, wanted] of defaults) {
  expectErrors(`defaults ${what}`, wanted, () => texts(validateDefaults(schema, "s", { pruned: true })));
}

const whole: JsonSchema = { ...open, "x-kubernetes-embedded-resource": true };
const wholes: readonly (readonly [string, unknown, readonly Wanted[]])[] = [
  ["that names itself", { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } }, []],
  [
    "without a name",
    {},
    [
      "s.properties[a].default.apiVersion: Required value: must not be empty",
      "s.properties[a].default.kind: Required value: must not be empty",
    ],
  ],
  [
    "with names of wrong form",
    { apiVersion: "", kind: 1 },
    [
      's.properties[a].default.apiVersion: Invalid value: "": must not be empty',
      "s.properties[a].default.kind: Invalid value: 1: must be a string",
    ],
  ],
  [
    "of a kind of wrong form",
    { apiVersion: "v1", kind: "A b" },
    [
      /^s.properties\[a\].default.kind: Invalid value: "A b": may have mixed case, but should otherwise match: a DNS-1035/,
    ],
  ],
];

for (const [what, value, wanted] of wholes) {
  expectErrors(`a default that is a whole object ${what}`, wanted, () =>
    texts(validateDefaults(field({ ...whole, default: value }), "s", { pruned: true })),
  );
}

expectErrors(
  "defaults of lists of whole objects",
  ["s.properties[a].default[1].kind: Required value: must not be empty"],
  () =>
    texts(
      validateDefaults(
        field(listOf(whole, { default: [{ apiVersion: "v1", kind: "K" }, { apiVersion: "v1" }] })),
        "s",
        {
          pruned: true,
        },
      ),
    ),
);

expectErrors("unknown fields of a default that need not be pruned", [], () =>
  texts(validateDefaults(field(root({ b: text }, { default: { c: 1 } })), "s", { pruned: false })),
);

const paths: readonly (readonly [string, boolean, readonly string[] | string])[] = [
  [".a.b", false, ["a", "b"]],
  [".m.x.y", false, ["m", "x", "y"]],
  [".a['b']", true, ["a", "b"]],
  [".m['x.y']", true, ["m", "x.y"]],
  [".m['it\\'s']", true, ["m", "it's"]],
  [".a['b']", false, "array notation is not allowed"],
  ["a", false, "expected [ or . but got: a"],
  [".a.", false, "unexpected end of JSON path"],
  [".a.c", false, "does not refer to a valid field"],
  [".a.b.c", false, "does not refer to a valid field"],
  [".a[0]", true, "expected single quoted string but got 0"],
  [".a['b'", true, "unexpected end of JSON path"],
  [".a['b'.", true, "expected ] but got ."],
  [".a[", true, "unexpected end of JSON path"],
  [".constructor", false, "does not refer to a valid field"],
];
const leaves: JsonSchema = root({ y: text });
const tree = root({ a: root({ b: text }), m: { type: "object", additionalProperties: leaves } });

for (const [path, brackets, wanted] of paths) {
  test(`the path ${path} ${brackets ? "with" : "without"} brackets`, () => {
    const found = resolvePath(path, tree, { brackets });
    assert.deepEqual(typeof found === "string" ? found : found.steps, wanted);
  });
}
