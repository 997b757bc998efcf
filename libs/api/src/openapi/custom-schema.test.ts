import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { isObject } from "@orch/schema/descriptor.js";
import { compileSchema } from "@orch/schema/structural/compile.js";
import type { JsonSchema } from "@orch/schema/structural/json-schema.js";
import { metadata, widget } from "@orch/schema/testing/widget.js";
import { loadDocs } from "./docs.js";
import { createSchemas, type Form } from "./schemas.js";

const naming = createNaming("kubernetes");
const docs = loadDocs(naming);
const kind = { group: "stable.example.com", kind: "Widget", version: "v1" };

function published(type: typeof widget, form: Form): unknown {
  const schemas = createSchemas({
    form,
    naming,
    docs,
    kindsOf: (t) => (t === type ? [kind] : []),
    selectableOf: () => undefined,
  });
  schemas.of(type);
  return withoutTexts(schemas.definitions()["com.example.stable.v1.Widget"]);
}

/** Properties that are told in words are told so everywhere. */
function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([name, text]) => !(name === "description" && typeof text === "string"));
  return Object.fromEntries(entries.map(([name, v]) => [name, withoutTexts(v)]));
}

const answers: Readonly<Record<Form, unknown>> = {
  v2: {
    type: "object",
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" },
      spec: {
        type: "object",
        properties: {
          amap: { type: "object", additionalProperties: { type: "string" }, "x-kubernetes-map-type": "atomic" },
          any: { "x-kubernetes-preserve-unknown-fields": true },
          atoms: { type: "array", maxItems: 3, items: { type: "string" } },
          b64: { type: "string", format: "byte" },
          color: { type: "string", enum: ["red", "green"] },
          either: { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } },
          emb: { "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
          flag: { type: "boolean" },
          i32: { type: "integer", format: "int32" },
          ios: { "x-kubernetes-int-or-string": true },
          ip: { type: "string", format: "ipv4" },
          m: { type: "object", maxProperties: 2, additionalProperties: { type: "integer" } },
          name: { type: "string", maxLength: 5, minLength: 2, pattern: "^[a-z]+$" },
          neg: { "x-kubernetes-preserve-unknown-fields": true },
          num: { type: "number", multipleOf: 0.5 },
          opts: { type: "object", properties: { a: { type: "string" }, b: {}, c: {}, d: { type: "string" } } },
          ports: {
            type: "array",
            items: {
              type: "object",
              required: ["port"],
              properties: { note: { type: "string" }, port: { type: "integer" }, protocol: { type: "string" } },
            },
            "x-kubernetes-list-map-keys": ["port", "protocol"],
            "x-kubernetes-list-type": "map",
          },
          replicas: { type: "integer" },
          req: { type: "object", required: ["x"], properties: { x: { type: "string" } } },
          size: { type: "integer", maximum: 10, minimum: 1 },
          tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
          when: { type: "string", format: "date-time" },
        },
      },
      status: {
        type: "object",
        properties: { phase: { type: "string" }, replicas: { type: "integer" }, selector: { type: "string" } },
      },
    },
    "x-kubernetes-group-version-kind": [{ group: "stable.example.com", kind: "Widget", version: "v1" }],
  },
  v3: {
    type: "object",
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }] },
      spec: {
        type: "object",
        properties: {
          amap: { type: "object", additionalProperties: { type: "string" }, "x-kubernetes-map-type": "atomic" },
          any: {
            type: "object",
            properties: { known: { type: "object", properties: { x: { type: "integer" } } } },
            "x-kubernetes-preserve-unknown-fields": true,
          },
          atoms: { type: "array", maxItems: 3, items: { type: "string" } },
          b64: { type: "string", format: "byte" },
          color: { type: "string", default: "red", enum: ["red", "green"] },
          either: {
            type: "object",
            oneOf: [{ required: ["a"] }, { required: ["b"] }],
            properties: { a: { type: "string" }, b: { type: "string" } },
          },
          emb: {
            type: "object",
            required: ["kind", "apiVersion"],
            properties: {
              apiVersion: { type: "string" },
              kind: { type: "string" },
              metadata: { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }] },
            },
            "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
          },
          flag: { type: "boolean" },
          i32: { type: "integer", format: "int32" },
          ios: { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
          ip: { type: "string", format: "ipv4" },
          m: { type: "object", maxProperties: 2, additionalProperties: { type: "integer" } },
          name: { type: "string", maxLength: 5, minLength: 2, pattern: "^[a-z]+$" },
          neg: { type: "object", not: { required: ["bad"] }, "x-kubernetes-preserve-unknown-fields": true },
          num: { type: "number", multipleOf: 0.5 },
          opts: {
            type: "object",
            properties: {
              a: { type: "string", default: "A" },
              b: { type: "string", nullable: true },
              c: { type: "string", nullable: true, default: "C" },
              d: { type: "string", default: "D" },
            },
          },
          ports: {
            type: "array",
            items: {
              type: "object",
              required: ["port"],
              properties: {
                note: { type: "string" },
                port: { type: "integer" },
                protocol: { type: "string", default: "TCP" },
              },
            },
            "x-kubernetes-list-map-keys": ["port", "protocol"],
            "x-kubernetes-list-type": "map",
          },
          replicas: { type: "integer" },
          req: { type: "object", required: ["x"], properties: { x: { type: "string" } } },
          size: { type: "integer", maximum: 10, minimum: 1 },
          tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
          when: { type: "string", format: "date-time" },
        },
      },
      status: {
        type: "object",
        properties: { phase: { type: "string" }, replicas: { type: "integer" }, selector: { type: "string" } },
      },
    },
    "x-kubernetes-group-version-kind": [{ group: "stable.example.com", kind: "Widget", version: "v1" }],
  },
};

for (const form of ["v2", "v3"] as const) {
  test(`the schema of a custom resource in OpenAPI ${form} is the reference's`, () => {
    assert.deepEqual(published(widget, form), answers[form]);
  });
}

const keepsAll: JsonSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

test("a custom resource that keeps unknown fields has no fields in version 2, of which clients would miss some", () => {
  const type = compileSchema(keepsAll, { name: widget.name, metadata });
  assert.deepEqual(published(type, "v2"), { type: "object", "x-kubernetes-group-version-kind": [kind] });
});
