import assert from "node:assert/strict";
import { test } from "node:test";
import { type Field, field, type MessageType, message } from "@orch/schema/descriptor.js";
import { compileSchema } from "@orch/schema/structural/compile.js";
import { formatType, t } from "../check/types.js";
import { createEnvironment } from "../environment.js";
import { analyze, estimateCost } from "../program.js";
import { declareSchema } from "./declare.js";
import { viewOfType } from "./of-type.js";

/** A type that holds itself. */
const node: MessageType = message({
  name: "Node",
  fields: () => [
    field({ name: "name", type: { kind: "string" }, required: true }),
    field({ name: "next", type: node, pointer: true }),
  ],
});
const root = message({
  name: "Root",
  object: true,
  fields: () => [
    field({ name: "node", type: node }),
    field({ name: "count", type: { kind: "int32" } }),
    field({ name: "ratio", type: { kind: "double" } }),
    field({ name: "at", type: { kind: "time" } }),
    field({ name: "data", type: { kind: "map", value: { kind: "bytes" }, mapType: "granular" } }),
    field({ name: "port", type: { kind: "intOrString" } }),
    field({ name: "memory", type: { kind: "quantity" } }),
    field({ name: "mode", type: { kind: "string" }, values: ["a", "bbb"] }),
    field({
      name: "nodes",
      type: { kind: "list", item: node, listType: "map", keys: ["name"], wrapped: false },
    }),
  ],
});

function typeOf(text: string, type = root): string {
  const declaration = declareSchema(viewOfType(type), { name: "Root", root: false, keywords: true });
  assert.ok(declaration);
  const variables = new Map([["self", declaration.declared.type]]);
  const env = createEnvironment({ dialect: "kubernetes", variables, structs: declaration.structs });
  const analysis = analyze(text, env);
  return analysis.ok ? formatType(analysis.checked.type) : analysis.display;
}

const rows: readonly (readonly [expression: string, type: string])[] = [
  ["self.count", "int"],
  ["self.ratio", "double"],
  ["self.at", "timestamp"],
  ["self.data", "map(string, bytes)"],
  ["self.port", "dyn"],
  ["self.memory", "dyn"],
  ["self.apiVersion", "string"],
  ["self.nodes.map(n, n.next.next.name)", "list(string)"],
  ["self.node.next == self.node", "ERROR"],
];

for (const [expression, type] of rows) {
  test(`a field of a built-in type: ${expression}`, () => assert.ok(typeOf(expression).startsWith(type)));
}

test("nothing is made of what no expression names", () => {
  const made: string[] = [];
  const lazily = (name: string, fields: readonly Field[]): MessageType =>
    message({
      name,
      fields: () => {
        made.push(name);
        return fields;
      },
    });
  const deep = lazily("Deep", [field({ name: "name", type: { kind: "string" } })]);
  const asked = lazily("Asked", [field({ name: "deep", type: deep }), field({ name: "no", type: lazily("No", []) })]);
  const view = lazily("View", [field({ name: "a", type: asked }), field({ name: "b", type: lazily("Other", []) })]);
  assert.equal(typeOf("self.a.deep.name", view), "string");
  assert.deepEqual(made, ["View", "Asked", "Deep"]);
});

test("sizes come from the type", () => {
  const schema = {
    type: "object",
    properties: {
      few: { type: "array", maxItems: 5, items: { type: "string", maxLength: 10 } },
      word: { type: "string", enum: ["a", "bbb"] },
      any: { type: "object", maxProperties: 7, additionalProperties: { type: "integer" } },
    },
  };
  const declaration = declareSchema(viewOfType(compileSchema(schema, { name: "" })), {
    name: "Root",
    root: true,
    keywords: true,
  });
  assert.ok(declaration);
  const { declared, structs } = declaration;
  const variables = new Map([["self", declared.type]]);
  const env = createEnvironment({ dialect: "kubernetes", variables, structs });
  const most = (text: string): bigint => {
    const analysis = analyze(text, env);
    assert.ok(analysis.ok, text);
    return estimateCost(analysis.checked, env, (path) => declaration.size(path)).max;
  };
  assert.deepEqual(declaration.size(["self", "few"]), { min: 0n, max: 5n });
  assert.deepEqual(declaration.size(["self", "few", "@items"]), { min: 0n, max: 40n });
  assert.deepEqual(declaration.size(["self", "word"]), { min: 0n, max: 3n });
  assert.deepEqual(declaration.size(["self", "any"]), { min: 0n, max: 7n });
  assert.ok(most("self.few.all(x, x == 'a')") < most("self.few.all(x, self.few.all(y, x == y))"));
  assert.equal(declared.type.kind, t.struct("Root").kind);
});
