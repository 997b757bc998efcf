import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageType, Type } from "../descriptor.js";
import { metadata, widget } from "../testing/widget.js";
import { validate } from "../validate.js";
import { compileSchema } from "./compile.js";

function at(type: MessageType, path: string): Type {
  let found: Type = type;
  for (const step of path.split(".")) {
    const next: Type | undefined = found.kind === "message" ? found.byName.get(step)?.type : undefined;
    assert.ok(next !== undefined, `no ${step} of ${path}`);
    found = next;
  }
  return found;
}

const kinds: readonly (readonly [string, Type["kind"]])[] = [
  ["metadata", "message"],
  ["spec", "message"],
  ["spec.color", "string"],
  ["spec.size", "int64"],
  ["spec.num", "double"],
  ["spec.flag", "bool"],
  ["spec.ios", "intOrString"],
  ["spec.m", "map"],
  ["spec.tags", "list"],
  ["spec.emb.metadata", "message"],
];

for (const [path, kind] of kinds) {
  test(`${path} of a custom resource is a ${kind}`, () => {
    assert.equal(at(widget, path).kind, kind);
  });
}

test("lists and maps have their types", () => {
  const [tags, ports, atoms, m, amap] = ["tags", "ports", "atoms", "m", "amap"].map((name) =>
    at(widget, `spec.${name}`),
  );
  assert.ok(tags?.kind === "list" && ports?.kind === "list" && atoms?.kind === "list");
  assert.ok(m?.kind === "map" && amap?.kind === "map");
  assert.deepEqual([tags.listType, ports.listType, atoms.listType], ["set", "map", "atomic"]);
  assert.deepEqual(ports.keys, ["port", "protocol"]);
  assert.deepEqual([m.mapType, amap.mapType], ["granular", "atomic"]);
});

test("the metadata of the whole object and of those inside is the server's", () => {
  assert.equal(at(widget, "metadata"), metadata);
  assert.equal(at(widget, "spec.emb.metadata"), metadata);
});

test("unknown fields are dropped but where they are kept", () => {
  const unknown = ["spec", "spec.any", "spec.any.known", "spec.emb"].map((path) => {
    const type = at(widget, path);
    return type.kind === "message" ? type.unknown : undefined;
  });
  assert.deepEqual(unknown, ["drop", "keep", "drop", "keep"]);
});

test("a schema says what a value must be where its type is", () => {
  const validations = [{ rule: "self.a != ''", message: "must not be empty" }];
  const type = compileSchema(
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          required: ["a"],
          maxProperties: 3,
          "x-kubernetes-validations": validations,
          properties: {
            a: { type: "string", maxLength: 5, format: "date" },
            l: { type: "array", maxItems: 2, items: {} },
          },
        },
      },
    },
    { name: "Test" },
  );
  const rules = ["spec", "spec.a", "spec.l"].map((path) => at(type, path).rules);
  assert.deepEqual(rules[0]?.schema["x-kubernetes-validations"], validations);
  assert.deepEqual([rules[0]?.schema.maxProperties, rules[1]?.schema.maxLength, rules[2]?.schema.maxItems], [3, 5, 2]);
  assert.equal(rules[1]?.format, "date");
  const spec = at(type, "spec");
  assert.ok(spec.kind === "message" && spec.byName.get("a")?.required === true);
});

test("a schema may narrow the version, kind and name of the object", () => {
  const type = compileSchema(
    {
      type: "object",
      properties: {
        kind: { type: "string", enum: ["A"] },
        metadata: { type: "object", properties: { name: { type: "string", maxLength: 3 } } },
      },
    },
    { name: "Test", metadata },
  );
  const errors = validate(type, { kind: "B", metadata: { name: "long" } });
  assert.deepEqual(
    errors.map((e) => `${e.field}: ${e.message}`),
    ['kind: Unsupported value: "B": supported values: "A"', "metadata.name: Too long: may not be more than 3 bytes"],
  );
  assert.deepEqual(validate(type, { kind: "A", metadata: { name: "abc" } }), []);
});

test("names that every object of the language has are no fields", () => {
  const type = compileSchema({ type: "object", properties: { constructor: { type: "string" } } }, { name: "Test" });
  assert.equal(at(type, "constructor").kind, "string");
  assert.equal(type.byName.get("toString"), undefined);
});
