import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ruleEnvironments } from "@orch/cel/rules/environments.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { compileSchema } from "@orch/schema/structural/compile.js";
import type { JsonSchema } from "@orch/schema/structural/json-schema.js";
import { validate } from "@orch/schema/validate.js";
import type { AnyObject } from "../object.js";
import { kindRules } from "./kind-rules.js";

interface Rows {
  readonly rules: readonly {
    readonly note: string;
    readonly schema: JsonSchema;
    readonly cases: readonly { readonly value: unknown; readonly old?: unknown; readonly errors: readonly string[] }[];
  }[];
  readonly ratcheting: readonly {
    readonly note: string;
    readonly schema: JsonSchema;
    readonly stored: unknown;
    readonly cases: readonly { readonly patch: JsonObject; readonly status: number; readonly message?: string }[];
  }[];
}

const file = new URL("../../testdata/rules-at-run-time.json", import.meta.url);
const { rules, ratcheting }: Rows = JSON.parse(readFileSync(file, "utf8"));
const environments = ruleEnvironments("kubernetes", "1.32");

interface Verdict {
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** Holds an object against the schema of `spec.f` as a write does. */
function judge(schema: JsonSchema, spec: JsonObject, old?: JsonObject): Verdict {
  const root: JsonSchema = {
    type: "object",
    properties: { spec: { type: "object", properties: { f: schema, other: { type: "string" } } } },
  };
  const type = compileSchema(root, { name: "" });
  const object: AnyObject = { metadata: {}, spec };
  const before: AnyObject | undefined = old && { metadata: {}, spec: old };
  const errors = validate(type, object, { old: before });
  const ruled = kindRules(type, environments)?.check(object, before, errors);
  const all = [...errors, ...(ruled?.errors ?? [])];
  return { errors: all.map((e) => `${e.field}: ${e.message}`), warnings: ruled?.warnings ?? [] };
}

const absent = "(absent)";
const specOf = (value: unknown): JsonObject => (value === absent ? {} : { f: value });

for (const { note, schema, cases } of rules) {
  for (const [i, { value, old, errors }] of cases.entries()) {
    test(`rules: ${note}: ${i}`, () => {
      assert.deepEqual(judge(schema, specOf(value), old === undefined ? undefined : specOf(old)).errors, errors);
    });
  }
}

for (const { note, schema, stored, cases } of ratcheting) {
  for (const { patch, message } of cases) {
    test(`ratcheting: ${note}: ${JSON.stringify(patch)}`, () => {
      const { errors } = judge(schema, { f: stored, ...patch }, { f: stored });
      const shown = errors.length > 1 ? `[${errors.join(", ")}]` : errors.join("");
      assert.equal(shown, message ?? "");
    });
  }
}

const positive: JsonSchema = { type: "integer", "x-kubernetes-validations": [{ rule: "self > 0" }] };
const broken = 'spec.f: Invalid value: "integer": failed rule: self > 0';

test("what breaks a rule and stays as it was is told in a warning", () => {
  assert.deepEqual(judge(positive, { f: 0, other: "x" }, { f: 0 }), { errors: [], warnings: [broken] });
  assert.deepEqual(judge(positive, { f: -1 }, { f: 0 }).errors, [broken]);
});

test("items of an atomic list that stays as it was are excused together", () => {
  const list: JsonSchema = { type: "array", items: positive };
  const first = 'spec.f[0]: Invalid value: "integer": failed rule: self > 0';
  assert.deepEqual(judge(list, { f: [0, 1], other: "x" }, { f: [0, 1] }), { errors: [], warnings: [first] });
  assert.deepEqual(judge(list, { f: [0, 2] }, { f: [0, 1] }).errors, [first]);
});

test("a map list whose items have changed places is as it was", () => {
  const few: JsonSchema = {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["n"],
    items: { type: "object", required: ["n"], properties: { n: { type: "string" } } },
    "x-kubernetes-validations": [{ rule: "self.size() < 2" }],
  };
  const [a, b] = [{ n: "a" }, { n: "b" }];
  assert.deepEqual(judge(few, { f: [a, b] }, { f: [b, a] }).errors, []);
  assert.equal(judge(few, { f: [a, { n: "c" }] }, { f: [a, b] }).errors.length, 1);
});

test("a schema without rules has none, and one with rules compiles them when an object meets them", () => {
  const plain = compileSchema({ type: "object", properties: { a: { type: "string" } } }, { name: "" });
  assert.equal(kindRules(plain, environments), undefined);
  const wrong: JsonSchema = { type: "integer", "x-kubernetes-validations": [{ rule: "self." }] };
  assert.deepEqual(judge(wrong, {}).errors, []);
  assert.match(judge(wrong, { f: 1 }).errors.join(), /^spec.f: Invalid value: "integer": rule compile error: /);
});

test("rules of a map's values name its keys, those of the whole object no field", () => {
  const map: JsonSchema = { type: "object", additionalProperties: positive };
  assert.deepEqual(judge(map, { f: { "a.b": 0 } }).errors, [
    'spec.f[a.b]: Invalid value: "integer": failed rule: self > 0',
  ]);
  const named: JsonSchema = { type: "object", "x-kubernetes-validations": [{ rule: "self.metadata.name == 'a'" }] };
  const type = compileSchema(named, { name: "" });
  const found = kindRules(type, environments)?.check({ metadata: { name: "b" } }, undefined, []);
  assert.equal(found?.errors[0]?.field, "<nil>");
});
