import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import type { JsonSchema } from "@orch/schema/structural/json-schema.js";
import type { FieldError } from "@orch/status/field-error.js";
import { type Strictness, strictnessOfCreate, strictnessOfUpdate } from "../strictness.js";
import { validateVersionSchema } from "../version-parts.js";

interface Row {
  readonly note?: string;
  readonly schema: JsonSchema;
  readonly errors: readonly { readonly field: string; readonly reason: string; readonly message: string }[];
}

const file = new URL("../../../../testdata/definition-rules.json", import.meta.url);
const rows: readonly Row[] = JSON.parse(readFileSync(file, "utf8"));

const at = "spec.validation.openAPIV3Schema";
const server = { naming: createNaming("kubernetes"), release: "1.32" };
const created = strictnessOfCreate("v1", server);

function errorsOf(schema: JsonSchema, strictness: Strictness = created): readonly FieldError[] {
  return validateVersionSchema({ openAPIV3Schema: schema }, { at: "spec.validation", hasStatus: false, strictness });
}

/** Of rules that cost alike it is open which are named. */
const open = (text: string): string => text.replace(/\[f\d+\]/, "[f]");

function told({ field, reason, message }: Row["errors"][number]): string {
  // A rule is shown as it is written; the reference shows it in its own language.
  const shown = message.startsWith('Invalid value: {"')
    ? `Invalid value: <rule>${message.slice(rule(message))}`
    : message;
  return open(`${field}: ${reason}: ${shown}`);
}

const rule = (message: string): number => message.indexOf("}: ") + 1;

for (const { note, schema, errors } of rows) {
  const name = note ?? JSON.stringify(schema).slice(0, 200);
  test(`a definition with rules: ${name}`, () => {
    const found = errorsOf(schema).map((e) => ({
      ...e,
      message: e.message,
      field: e.field.slice(at.length).replace(/^\./, ""),
    }));
    assert.deepEqual(found.map(told).sort(), errors.map(told).sort());
  });
}

test("what costs too much may stay in a definition that keeps its schema, and is refused in one that changes it", () => {
  const text: JsonSchema = { type: "array", items: { type: "string" } };
  const costly: JsonSchema = {
    type: "object",
    properties: {
      a: { ...text, "x-kubernetes-validations": [{ rule: "self.all(x, self.all(y, x != y || x == y))" }] },
    },
  };
  const old = { metadata: {}, spec: { validation: { openAPIV3Schema: costly } } };
  const strictness = strictnessOfUpdate("v1", old, server);
  assert.deepEqual(errorsOf(costly, strictness), []);
  assert.ok(errorsOf({ ...costly, title: "changed" }, strictness).length > 0);
});

test("a function of this release may stand in an expression that is stored, and not in a new one", () => {
  const schema: JsonSchema = {
    type: "object",
    properties: {
      a: {
        type: "array",
        maxItems: 3,
        items: { type: "integer" },
        "x-kubernetes-validations": [{ rule: "self.all(i, v, v > i)" }],
      },
    },
  };
  assert.match(errorsOf(schema)[0]?.message ?? "", /undeclared reference to 'all'/);
  const old = { metadata: {}, spec: { validation: { openAPIV3Schema: schema } } };
  const strictness = strictnessOfUpdate("v1", old, server);
  assert.deepEqual(errorsOf({ ...schema, title: "changed" }, strictness), []);
});

test("rules below a broken part of a schema are not looked at, those beside it are", () => {
  const broken: JsonSchema = {
    type: "object",
    properties: { in: { type: "integer", uniqueItems: true } },
    "x-kubernetes-validations": [{ rule: "self.nothing" }],
  };
  const beside: JsonSchema = { type: "integer", "x-kubernetes-validations": [{ rule: "self.nothing" }] };
  const fields = errorsOf({ type: "object", properties: { a: broken, b: beside } }).map(({ field }) => field);
  assert.deepEqual(fields, [
    `${at}.properties[a].properties[in].uniqueItems`,
    `${at}.properties[b].x-kubernetes-validations[0].rule`,
  ]);
});
