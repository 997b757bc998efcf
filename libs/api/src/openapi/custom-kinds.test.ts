import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { isObject } from "@orch/schema/descriptor.js";
import type { JsonSchema } from "@orch/schema/structural/json-schema.js";
import { widgetSchema } from "@orch/schema/testing/widget.js";
import { loadCatalog } from "../catalog.js";
import { createLiveCatalog } from "../custom/live-catalog.js";
import { createOpenApi, type OpenApi } from "./openapi.js";

const naming = createNaming("kubernetes");
const mediaTypes = ["application/json", "application/yaml", naming.protobufMediaType];
const names = { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" };

function withWidgets(spec: JsonSchema): OpenApi {
  const live = createLiveCatalog(loadCatalog(naming));
  const openAPIV3Schema = { type: "object", properties: { spec } };
  live.changed({
    kind: "CustomResourceDefinition",
    apiVersion: "apiextensions.k8s.io/v1",
    metadata: { name: "widgets.example.com", resourceVersion: "1" },
    spec: {
      ...{ group: "example.com", scope: "Namespaced", names },
      versions: [
        {
          ...{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } },
          subresources: { status: {}, scale: { specReplicasPath: ".spec.a", statusReplicasPath: ".status.a" } },
        },
      ],
    },
    status: { acceptedNames: names, conditions: [{ type: "Established", status: "True" }] },
  });
  return createOpenApi(live, { naming, offers: { subresources: new Set(["status", "scale"]), mediaTypes } });
}

const section = "apis/example.com/v1";

/** Every word of the schemas of definitions: each needs a number in both messages. */
const words: readonly JsonSchema[] = [
  { type: "string", title: "t", pattern: "^a", minLength: 1, maxLength: 9, format: "hostname", default: "a" },
  { type: "number", minimum: -0.5, maximum: 9, exclusiveMinimum: true, exclusiveMaximum: true, multipleOf: 0.5 },
  { type: "array", minItems: 1, maxItems: 2, items: { type: "string", nullable: true, enum: ["a"] } },
  { type: "object", minProperties: 1, maxProperties: 2, additionalProperties: { type: "integer" } },
  { type: "object", properties: { a: { type: "string" } }, required: ["a"], not: { required: ["b"] } },
  { type: "object", anyOf: [{ required: ["a"] }], oneOf: [{ required: ["a"] }], allOf: [{ required: ["a"] }] },
  { type: "string", externalDocs: { url: "https://example.com", description: "d" }, example: "x" },
  { "x-kubernetes-int-or-string": true },
  { type: "object", "x-kubernetes-preserve-unknown-fields": true, additionalProperties: true },
  { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
];

for (const schema of [...words, widgetSchema]) {
  test(`a definition with ${Object.keys(schema)} is published in Protobuf`, async () => {
    const api = withWidgets({ type: "object", properties: { value: schema } });
    for (const document of [await api.v2(), api.v3(section)]) {
      assert.ok(document !== undefined);
      assert.ok(Buffer.from(document.protobuf()).includes("com.example.v1.Widget"));
    }
  });
}

test("a custom resource is offered without strategic patches and without Protobuf", () => {
  const text = withWidgets({ type: "object" }).v3(section)?.json.toString("utf8") ?? "";
  const document: unknown = JSON.parse(text);
  assert.ok(isObject(document) && isObject(document["paths"]));
  const bodies = Object.entries(document["paths"]).flatMap(([path, item]) => {
    const patch = isObject(item) ? item["patch"] : undefined;
    const body = isObject(patch) ? patch["requestBody"] : undefined;
    return isObject(body) && isObject(body["content"]) ? [[path, Object.keys(body["content"])] as const] : [];
  });
  const item = `/${section}/namespaces/{namespace}/widgets/{name}`;
  const patches = ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];
  assert.deepEqual(
    Object.fromEntries(bodies),
    Object.fromEntries(["", "/status", "/scale"].map((sub) => [`${item}${sub}`, patches])),
  );
  const own = JSON.stringify(Object.entries(document["paths"]).filter(([path]) => path.includes("/widgets")));
  assert.ok(own.includes("application/json;stream=watch"));
  assert.ok(!own.includes(naming.protobufMediaType));
});
