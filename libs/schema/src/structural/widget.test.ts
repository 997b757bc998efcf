import assert from "node:assert/strict";
import { test } from "node:test";
import { DecodeError, decode } from "../decode.js";
import { applyDefaults } from "../defaults.js";
import { widget } from "../testing/widget.js";
import { validate } from "../validate.js";

interface Answer {
  /** Paths of fields that were dropped. */
  readonly unknown?: readonly string[];
  /** The state that would be stored; absent where there are errors. */
  readonly spec?: unknown;
  readonly errors?: readonly string[];
}

function answer(object: object): Answer {
  const { value, unknown } = decode(widget, { apiVersion: "stable.example.com/v1", kind: "Widget", ...object });
  const defaulted = applyDefaults(widget, value);
  const errors = validate(widget, defaulted).map((e) => `${e.field}: ${e.message}`);
  const found = unknown.length === 0 ? {} : { unknown };
  return errors.length > 0 ? { ...found, errors } : { ...found, spec: defaulted["spec"] };
}

/** What the reference made of these specs. */
const specs: readonly (readonly [unknown, Answer])[] = [
  [{ size: 0 }, { errors: ["spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1"] }],
  [{ size: 11 }, { errors: ["spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10"] }],
  [
    { size: "3" },
    { errors: ['spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"'] },
  ],
  [
    { size: 1.5 },
    { errors: ['spec.size: Invalid value: "number": spec.size in body must be of type integer: "number"'] },
  ],
  [{ size: 2.0 }, { spec: { color: "red", size: 2 } }],
  [{ size: null }, { spec: { color: "red" } }],
  [{ color: "blue" }, { errors: ['spec.color: Unsupported value: "blue": supported values: "red", "green"'] }],
  [{ color: null }, { spec: { color: "red" } }],
  [{ name: "A" }, { errors: ['spec.name: Invalid value: "A": spec.name in body should be at least 2 chars long'] }],
  [{ name: "abcdef" }, { errors: ["spec.name: Too long: may not be more than 5 bytes"] }],
  [{ name: "a" }, { errors: ['spec.name: Invalid value: "a": spec.name in body should be at least 2 chars long'] }],
  [{ name: "ABCDEF" }, { errors: ["spec.name: Too long: may not be more than 5 bytes"] }],
  [{ tags: ["a", "a"] }, { errors: ['spec.tags[1]: Duplicate value: "a"'] }],
  [
    { tags: ["a", "b", "a", "b"] },
    { errors: ['spec.tags[2]: Duplicate value: "a"', 'spec.tags[3]: Duplicate value: "b"'] },
  ],
  [
    { tags: "a" },
    { errors: ['spec.tags: Invalid value: "string": spec.tags in body must be of type array: "string"'] },
  ],
  [
    { tags: [1] },
    { errors: ['spec.tags[0]: Invalid value: "integer": spec.tags[0] in body must be of type string: "integer"'] },
  ],
  [
    { tags: [null] },
    { errors: ['spec.tags[0]: Invalid value: "null": spec.tags[0] in body must be of type string: "null"'] },
  ],
  [{ ports: [{ port: 1 }, { port: 1 }] }, { errors: ['spec.ports[1]: Duplicate value: {"port":1,"protocol":"TCP"}'] }],
  [
    { ports: [{ port: 1 }, { port: 1, protocol: "TCP" }, { port: 1, protocol: "UDP" }] },
    { errors: ['spec.ports[1]: Duplicate value: {"port":1,"protocol":"TCP"}'] },
  ],
  [{ ports: [{}] }, { errors: ["spec.ports[0].port: Required value"] }],
  [{ ports: [{ protocol: "X" }] }, { errors: ["spec.ports[0].port: Required value"] }],
  [
    { ports: [1] },
    {
      errors: [
        'spec.ports[0]: Invalid value: "integer": spec.ports[0] in body must be of type object: "integer"',
        "spec.ports[0]: Invalid value: 1: must be an object for an array of list-type map",
      ],
    },
  ],
  [{ atoms: ["1", "2", "3", "4"] }, { errors: ["spec.atoms: Too many: 4: must have at most 3 items"] }],
  [
    { opts: { a: null, b: null, c: null, d: null } },
    { spec: { color: "red", opts: { a: "A", b: null, c: null, d: "D" } } },
  ],
  [{ opts: null }, { spec: { color: "red" } }],
  [
    { any: { x: { y: 1 }, known: { x: 1, z: 2 } } },
    { unknown: ["spec.any.known.z"], spec: { any: { known: { x: 1 }, x: { y: 1 } }, color: "red" } },
  ],
  [
    { any: { known: { x: "s" } } },
    {
      errors: ['spec.any.known.x: Invalid value: "string": spec.any.known.x in body must be of type integer: "string"'],
    },
  ],
  [
    { emb: {} },
    {
      errors: [
        "spec.emb.apiVersion: Required value: must not be empty",
        "spec.emb.kind: Required value: must not be empty",
      ],
    },
  ],
  [{ emb: { apiVersion: "v1", kind: "Pod" } }, { spec: { color: "red", emb: { apiVersion: "v1", kind: "Pod" } } }],
  [
    {
      emb: {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "A_B", labels: { "a b": "c" }, junk: 1 },
        spec: { x: 1 },
      },
    },
    {
      unknown: ["spec.emb.metadata.junk"],
      errors: [
        "spec.emb.metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    },
  ],
  [
    { emb: { apiVersion: "v1", kind: "Pod", metadata: { name: "ok", junk: 1, labels: { a: "b" } }, spec: { x: 1 } } },
    {
      unknown: ["spec.emb.metadata.junk"],
      spec: {
        color: "red",
        emb: { apiVersion: "v1", kind: "Pod", metadata: { labels: { a: "b" }, name: "ok" }, spec: { x: 1 } },
      },
    },
  ],
  [{ ios: 1 }, { spec: { color: "red", ios: 1 } }],
  [{ ios: "50%" }, { spec: { color: "red", ios: "50%" } }],
  [
    { ios: true },
    { errors: ['spec.ios: Invalid value: "boolean": spec.ios in body must be of type integer,string: "boolean"'] },
  ],
  [
    { ios: 1.5 },
    { errors: ['spec.ios: Invalid value: "number": spec.ios in body must be of type integer,string: "number"'] },
  ],
  [{ ios: null }, { spec: { color: "red" } }],
  [{ m: { a: 1, b: 2, c: 3 } }, { errors: ["spec.m: Too many: 3: must have at most 2 items"] }],
  [
    { m: { a: "x" } },
    { errors: ['spec.m.a: Invalid value: "string": spec.m.a in body must be of type integer: "string"'] },
  ],
  [
    { when: "yesterday" },
    { errors: ['spec.when: Invalid value: "yesterday": spec.when in body must be of type date-time: "yesterday"'] },
  ],
  [{ b64: "%%%" }, { errors: ['spec.b64: Invalid value: "%%%": spec.b64 in body must be of type byte: "%%%"'] }],
  [{ ip: "1.2.3" }, { errors: ['spec.ip: Invalid value: "1.2.3": spec.ip in body must be of type ipv4: "1.2.3"'] }],
  [{ i32: 5000000000 }, { spec: { color: "red", i32: 5000000000 } }],
  [{ num: 0.7 }, { errors: ["spec.num: Invalid value: 0.7: spec.num in body should be a multiple of 0.5"] }],
  [{ num: 1 }, { errors: ["spec.num: Invalid value: 0: factor MultipleOf declared for spec.num must be positive: 0"] }],
  [
    { flag: "true" },
    { errors: ['spec.flag: Invalid value: "string": spec.flag in body must be of type boolean: "string"'] },
  ],
  [
    { either: {} },
    {
      errors: [
        '<nil>: Invalid value: "": "spec.either" must validate one and only one schema (oneOf). Found none valid',
        "spec.either.a: Required value",
      ],
    },
  ],
  [
    { either: { a: "1", b: "2" } },
    {
      errors: [
        '<nil>: Invalid value: "": "spec.either" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    },
  ],
  [{ neg: { bad: 1 } }, { errors: ['<nil>: Invalid value: "": "spec.neg" must not validate the schema (not)'] }],
  [{ req: {} }, { errors: ["spec.req.x: Required value"] }],
  [{ req: { x: null } }, { errors: ["spec.req.x: Required value"] }],
  [
    { junk: 1, opts: { junk: 2 } },
    { unknown: ["spec.junk", "spec.opts.junk"], spec: { color: "red", opts: { a: "A", c: "C", d: "D" } } },
  ],
  [
    { size: 0, color: "x", tags: ["a", "a"], junk: 1 },
    {
      unknown: ["spec.junk"],
      errors: [
        "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
        'spec.color: Unsupported value: "x": supported values: "red", "green"',
        'spec.tags[1]: Duplicate value: "a"',
      ],
    },
  ],
  ["str", { errors: ['spec: Invalid value: "string": spec in body must be of type object: "string"'] }],
  [null, { spec: undefined }],
  [
    { size: 1, junk: 1 },
    { unknown: ["spec.junk"], spec: { color: "red", size: 1 } },
  ],
  [
    { emb: { apiVersion: "v1", kind: "P", metadata: { junk: 1 } } },
    { unknown: ["spec.emb.metadata.junk"], spec: { color: "red", emb: { apiVersion: "v1", kind: "P", metadata: {} } } },
  ],
  [
    { any: { q: 1, known: { z: 1 } } },
    { unknown: ["spec.any.known.z"], spec: { any: { known: {}, q: 1 }, color: "red" } },
  ],
  [
    { ports: [{ port: 1, zz: 1 }] },
    { unknown: ["spec.ports[0].zz"], spec: { color: "red", ports: [{ port: 1, protocol: "TCP" }] } },
  ],
];

for (const [spec, wanted] of specs) {
  test(`a custom resource of the spec ${JSON.stringify(spec)} is answered as by the reference`, () => {
    assert.deepEqual(answer({ metadata: { name: "v" }, spec }), wanted);
  });
}

/** Unknown fields outside of the spec. */
const objects: readonly (readonly [object, Answer])[] = [
  [{ metadata: { name: "v" } }, { spec: undefined }],
  [
    { metadata: { name: "v" }, junk: 1, spec: {} },
    { unknown: ["junk"], spec: { color: "red" } },
  ],
  [
    { metadata: { name: "v", junk: 1 }, spec: {} },
    { unknown: ["metadata.junk"], spec: { color: "red" } },
  ],
  [
    { metadata: { name: "v" }, status: { phase: "P", junk: 1 } },
    { unknown: ["status.junk"], spec: undefined },
  ],
];

for (const [object, wanted] of objects) {
  test(`the object ${JSON.stringify(object)} is answered as by the reference`, () => {
    assert.deepEqual(answer(object), wanted);
  });
}

/** What is not of the type that the server itself knows is no such object at all. */
const malformed: readonly (readonly [object, RegExp])[] = [
  [
    { spec: { emb: { apiVersion: "v1", kind: 1, metadata: "x" } } },
    /^spec.emb.kind: Invalid value: 1: must be a string$/,
  ],
  [
    { spec: { emb: { apiVersion: "v1", kind: "P", metadata: { finalizers: "x" } } } },
    /^spec.emb.metadata.finalizers: /,
  ],
  [{ metadata: { name: "v", labels: { a: 1 } } }, /^metadata.labels.a: /],
];

for (const [object, wanted] of malformed) {
  test(`the object ${JSON.stringify(object)} cannot be decoded`, () => {
    assert.throws(
      () => answer(object),
      (error) => error instanceof DecodeError && wanted.test(error.message),
    );
  });
}
