import assert from "node:assert/strict";
import { test } from "node:test";
import { assertLinear } from "@orch/status/testing/growth.js";
import { decode } from "../decode.js";
import { applyDefaults } from "../defaults.js";
import { validate } from "../validate.js";
import { compileSchema } from "./compile.js";
import type { JsonSchema } from "./json-schema.js";
import { createPattern } from "./pattern.js";
import { isOfFormat, type TextFormat } from "./text-formats.js";

const text: JsonSchema = { type: "string" };
const root = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({ type: "object", properties });
const item: JsonSchema = {
  type: "object",
  required: ["k"],
  properties: { k: { type: "integer" }, v: { type: "string", default: "x", enum: ["x", "y"] } },
  anyOf: [{ required: ["k"] }, { required: ["v"] }],
};
const type = compileSchema(
  root({
    set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    keyed: { type: "array", items: item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] },
    map: { type: "object", additionalProperties: item },
    wholes: {
      type: "array",
      items: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    },
    text: { type: "string", pattern: "^(a+)+$", maxLength: 10_000_000 },
  }),
  { name: "Test" },
);

const objects: Readonly<Record<string, (n: number) => object>> = {
  "a set": (n) => ({ set: Array.from({ length: n }, (_, i) => `${i}`) }),
  "a map list": (n) => ({ keyed: Array.from({ length: n }, (_, i) => ({ k: i })) }),
  "a map": (n) => ({ map: Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, { k: i }])) }),
  "whole objects": (n) => ({ wholes: Array.from({ length: n }, () => ({ apiVersion: "v1", kind: "K" })) }),
  "unknown fields": (n) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`u${i}`, i])),
  "wrong values": (n) => ({ keyed: Array.from({ length: n }, () => ({ k: "x" })) }),
};

for (const [what, objectOf] of Object.entries(objects)) {
  test(`${what} of a custom resource cost as much as there are of them`, () => {
    assertLinear(4_000, (n) => {
      const object = objectOf(n);
      return () => validate(type, applyDefaults(type, decode(type, object).value), { old: object });
    });
  });
}

test("to compile a schema costs as much as it is long", () => {
  assertLinear(2_000, (n) => {
    const names = Array.from({ length: n }, (_, i) => [`f${i}`, item] as const);
    const schema = root(Object.fromEntries(names));
    return () => compileSchema(schema, { name: "Test" }).byName;
  });
});

test("no text makes a pattern slow", () => {
  for (const source of ["^(a+)+$", "(a|a)*b", "(.*)(.*)(.*)=", "^(a?){50}a{50}$"]) {
    const pattern = createPattern(source);
    assert.equal(pattern.problem(), undefined);
    assertLinear(20_000, (n) => {
      const long = "a".repeat(n);
      return () => pattern.test(long);
    });
  }
});

const formats: readonly TextFormat[] = [
  "byte",
  "cidr",
  "creditcard",
  "datetime",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "isbn",
  "mac",
  "rgbcolor",
  "uri",
  "uuid",
];

for (const format of formats) {
  test(`a text for the format ${format} costs as much as it is long`, () => {
    for (const part of ["a", "1", "a.", "-", "1:", "a@", "<", '\\"', "%41", " "]) {
      assertLinear(40_000, (n) => {
        const long = part.repeat(n);
        return () => isOfFormat(format, long);
      });
    }
  });
}
