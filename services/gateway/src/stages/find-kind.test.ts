import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { createInProcess } from "@orch/rpc/in-process.js";
import { watchCacheGet } from "@orch/rpc/methods.js";
import { notFound, unavailable } from "@orch/status/api-error.js";
import { testGateway } from "../testing/gateway.js";

const naming = createNaming("orch");
const names = { plural: "boats", singular: "boat", kind: "Boat", listKind: "BoatList" };
const definition = {
  kind: "CustomResourceDefinition",
  apiVersion: `${naming.group("apiextensions")}/v1`,
  metadata: { name: "boats.sea.example.com", resourceVersion: "7" },
  spec: {
    ...{ group: "sea.example.com", scope: "Namespaced", names },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
  status: { acceptedNames: names, conditions: [{ type: "Established", status: "True" }] },
};

/** A watch cache that has this definition and one object. */
function cache() {
  const { services, caller } = createInProcess();
  const asked: string[] = [];
  services.unary(watchCacheGet, async ({ resource, name, resourceVersion }) => {
    asked.push(`${resource} ${name} ${resourceVersion}`);
    if (name.startsWith("away")) throw unavailable("nobody is there");
    if (resource === "boats") return { body: Buffer.from('{"kind":"Boat","metadata":{"name":"ann"}}') };
    if (name !== definition.metadata.name) throw notFound({ group: "", resource }, name);
    return { body: Buffer.from(JSON.stringify(definition)) };
  });
  return { caches: () => caller, asked };
}

const definitionRead = "customresourcedefinitions boats.sea.example.com ";

test("a kind whose definition is newer than the catalog is found by it, once", async () => {
  const { caches, asked } = cache();
  const { ask } = testGateway({ caches });
  const target = "/apis/sea.example.com/v1/namespaces/a/boats/ann";
  assert.deepEqual([(await ask({ target })).code, (await ask({ target })).code], [200, 200]);
  assert.deepEqual(asked, [definitionRead, "boats ann ", "boats ann "]);
});

test("what nobody defined is not found, and of groups that are no domain nobody asks", async () => {
  const { caches, asked } = cache();
  const { ask } = testGateway({ caches });
  for (const target of [
    "/apis/sea.example.com/v1/ships",
    "/apis/sea.example.com/v2/boats",
    "/apis/sea/v1/boats",
    "/api/v1/boats",
  ]) {
    assert.equal((await ask({ target })).code, 404, target);
  }
  assert.deepEqual(asked, ["customresourcedefinitions ships.sea.example.com ", definitionRead]);
  const long = `/apis/sea.example.com/v1/${"x".repeat(300)}`;
  assert.equal((await ask({ target: long })).code, 404);
  assert.equal(asked.length, 2);
});

test("where the definitions cannot be asked for, that is said", async () => {
  const { ask } = testGateway({ caches: cache().caches });
  assert.equal((await ask({ target: "/apis/sea.example.com/v1/aways" })).code, 503);
});
