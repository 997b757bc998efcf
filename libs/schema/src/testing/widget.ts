import { field, type MessageType, message } from "../descriptor.js";
import { compileSchema } from "../structural/compile.js";
import type { JsonSchema } from "../structural/json-schema.js";

const text = { kind: "string" } as const;
const texts = { kind: "map", value: text, mapType: "granular" } as const;

/** Metadata as every object has it, in part. */
export const metadata: MessageType = message({
  name: "meta/v1.ObjectMeta",
  fields: () => [
    ...["name", "generateName", "namespace"].map((name) => field({ name, type: text, omitempty: true })),
    field({ name: "generation", type: { kind: "int64" }, omitempty: true }),
    field({ name: "creationTimestamp", type: { kind: "time" } }),
    ...["labels", "annotations"].map((name) => field({ name, type: texts, omitempty: true })),
    field({
      name: "finalizers",
      type: { kind: "list", item: text, listType: "set", keys: [], wrapped: false },
      omitempty: true,
    }),
  ],
});

/** A custom kind with a field of every sort; the reference was asked about objects of it. */
export const widgetSchema: JsonSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer", minimum: 1, maximum: 10 },
        color: { type: "string", enum: ["red", "green"], default: "red" },
        name: { type: "string", pattern: "^[a-z]+$", maxLength: 5, minLength: 2 },
        tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        ports: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "protocol"],
          items: {
            type: "object",
            required: ["port"],
            properties: {
              port: { type: "integer" },
              protocol: { type: "string", default: "TCP" },
              note: { type: "string" },
            },
          },
        },
        atoms: { type: "array", items: { type: "string" }, maxItems: 3 },
        opts: {
          type: "object",
          properties: {
            a: { type: "string", default: "A" },
            b: { type: "string", nullable: true },
            c: { type: "string", nullable: true, default: "C" },
            d: { type: "string", default: "D" },
          },
        },
        any: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { known: { type: "object", properties: { x: { type: "integer" } } } },
        },
        emb: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
        ios: { "x-kubernetes-int-or-string": true },
        m: { type: "object", additionalProperties: { type: "integer" }, maxProperties: 2 },
        amap: { type: "object", "x-kubernetes-map-type": "atomic", additionalProperties: { type: "string" } },
        when: { type: "string", format: "date-time" },
        b64: { type: "string", format: "byte" },
        ip: { type: "string", format: "ipv4" },
        i32: { type: "integer", format: "int32" },
        num: { type: "number", multipleOf: 0.5 },
        flag: { type: "boolean" },
        either: {
          type: "object",
          properties: { a: { type: "string" }, b: { type: "string" } },
          oneOf: [{ required: ["a"] }, { required: ["b"] }],
        },
        neg: { type: "object", "x-kubernetes-preserve-unknown-fields": true, not: { required: ["bad"] } },
        req: { type: "object", required: ["x"], properties: { x: { type: "string" } } },
        replicas: { type: "integer" },
      },
    },
    status: {
      type: "object",
      properties: { replicas: { type: "integer" }, selector: { type: "string" }, phase: { type: "string" } },
    },
  },
};

export const widget: MessageType = compileSchema(widgetSchema, { name: "stable.example.com/v1.Widget", metadata });
