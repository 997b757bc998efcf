import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { Validator } from "@seriousme/openapi-schema-validator";
import { isStored, type Kind, loadCatalog } from "../catalog.js";
import { createLiveCatalog } from "../custom/live-catalog.js";
import { createOpenApi, type OpenApi } from "./openapi.js";
import { parsed, part } from "./testing/parts.js";

const naming = createNaming("orch");
const mediaTypes = ["application/json", "application/yaml", "application/vnd.example.protobuf"];

function documentsOf(hasHistory?: (kind: Kind) => boolean): OpenApi {
  const offers = { subresources: new Set<string>(), mediaTypes, ...(hasHistory === undefined ? {} : { hasHistory }) };
  return createOpenApi(createLiveCatalog(loadCatalog(naming)), { naming, offers });
}

let two: JsonObject;
let three: JsonObject;
before(async () => {
  const api = documentsOf((kind) => isStored(kind) && kind.plural !== "secrets");
  two = parsed(await api.v2());
  three = parsed(api.v3("api/v1"));
});

const kinds = [
  ...["ObjectHistory", "ObjectDifference", "DeletedObjectList"],
  ...["ObjectHistoryMigration", "ObjectRollback", "ObjectUndelete"],
];
const maps = "/api/v1/namespaces/{namespace}/configmaps/{name}";
const nameOf = (kind: string): string => naming.schemaName(`api.history.orch.v1alpha1.${kind}`);

test("both documents are valid, and every document about the past has a schema in them", async () => {
  for (const [document, ...place] of [
    [two, "definitions"],
    [three, "components", "schemas"],
  ] as const) {
    const { valid, errors } = await new Validator().validate(
      JSON.parse(JSON.stringify(document).replaceAll('"$ref":{', '"ref":{')),
    );
    assert.ok(valid, JSON.stringify(errors));
    for (const kind of kinds) {
      const schema = part(document, ...place, nameOf(kind));
      const expected = [{ group: "history.orch", kind, version: "v1alpha1" }];
      assert.deepEqual(part(schema, "x-kubernetes-group-version-kind"), expected, kind);
      assert.ok(
        part(schema, "properties", "kind") !== undefined || kind.startsWith("ObjectR") || kind.startsWith("ObjectU"),
      );
    }
  }
});

test("an answer is what its parameters ask for: a history or a difference, an object or a difference", () => {
  const schemaOf = (path: string): unknown =>
    part(three, "paths", path, "get", "responses", "200", "content", "application/json", "schema");
  const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
  const difference = ref(nameOf("ObjectDifference"));
  assert.deepEqual(schemaOf(`${maps}/history`), { oneOf: [ref(nameOf("ObjectHistory")), difference] });
  const map = ref(naming.schemaName("api.core.v1.ConfigMap"));
  assert.deepEqual(schemaOf(`${maps}/history/{revision}`), { oneOf: [map, difference] });
  assert.deepEqual(schemaOf(`${maps}/deleted`), ref(nameOf("DeletedObjectList")));
  const migrated = part(three, "paths", `${maps}/history`, "patch", "responses", "200", "content", "application/json");
  assert.deepEqual(migrated, { schema: ref(nameOf("ObjectHistoryMigration")) });
});

test("what is no object is never told to be Protobuf, and an object can be", () => {
  const types = (path: string, method = "get"): unknown => part(two, "paths", path, method, "produces");
  const plain = ["application/json", "application/yaml"];
  assert.deepEqual(types(`${maps}/history`), plain);
  assert.deepEqual(types(`${maps}/history`, "patch"), plain);
  assert.deepEqual(types(`${maps}/deleted`), plain);
  assert.deepEqual(types(`${maps}/history/{revision}`), mediaTypes);
});

test("where nothing is kept, nothing is told", async () => {
  assert.equal(part(two, "paths", "/api/v1/namespaces/{namespace}/secrets/{name}/history"), undefined);
  const without = JSON.stringify(parsed(await documentsOf().v2()));
  assert.ok(!without.includes("history.orch"));
});
