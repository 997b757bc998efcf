import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "../catalog.js";
import { createLiveCatalog } from "../custom/live-catalog.js";
import { createOpenApi } from "./openapi.js";
import { type OtherDocuments, readOtherV2, readOtherV3, withOthers } from "./others.js";

const root = "/apis/ext.example.com/v1";
const text = { type: "string" };
const number = { type: "integer" };
const shows = (name: string) => ({
  get: { responses: { 200: { description: "OK", schema: { $ref: `#/definitions/${name}` } } } },
});

test("of a document is taken what its group-version needs", () => {
  const document = {
    swagger: "2.0",
    paths: { [`${root}/things`]: shows("A"), "/apis/ext.example.com/v10/x": shows("C"), "/apis/apps/v1/x": shows("C") },
    definitions: {
      A: { properties: { b: { $ref: "#/definitions/B" } } },
      B: { properties: { a: { $ref: "#/definitions/A" } } },
      C: text,
    },
  };
  const { definitions } = document;
  assert.deepEqual(readOtherV2(document, root), {
    paths: { [`${root}/things`]: shows("A") },
    definitions: { A: definitions.A, B: definitions.B },
    parameters: {},
  });
});

for (const [what, value] of [
  ["nothing", undefined],
  ["a list", []],
  ["an object without paths", {}],
  ["what has words of its own", { paths: { [`${root}/x`]: { get: { own: 1 } } } }],
] as const) {
  test(`no document is ${what}`, () => {
    assert.equal(readOtherV2(value, root), undefined);
    assert.equal(readOtherV3(value, root), undefined);
  });
}

test("what is there stays, and another definition of its name gets a name of its own", () => {
  const own = {
    swagger: "2.0",
    paths: { "/a": shows("A") },
    definitions: { A: text, A_v2: text, Same: text },
    parameters: {},
  };
  const other = {
    paths: { "/a": shows("Same"), "/b": shows("A"), "/c": shows("Same") },
    definitions: { A: number, Same: text, Uses: { $ref: "#/definitions/A" } },
    parameters: { p: text },
  };
  assert.deepEqual(withOthers(own, [other]), {
    swagger: "2.0",
    paths: { "/a": shows("A"), "/b": shows("A_v3"), "/c": shows("Same") },
    definitions: { A: text, A_v2: text, Same: text, A_v3: number, Uses: { $ref: "#/definitions/A_v3" } },
    parameters: { p: text },
  });
  assert.equal(withOthers(own, []), own);
});

test("the documents of the server follow those of others, and keep their own parts", async () => {
  const naming = createNaming("kubernetes");
  const mediaTypes = ["application/json"];
  const none: OtherDocuments = { two: [], three: new Map() };
  let others = none;
  const offers = { subresources: new Set<string>(), storageVersionHash: false, mediaTypes };
  const openApi = createOpenApi(createLiveCatalog(loadCatalog(naming)), { naming, offers, others: () => others });
  const apps = openApi.v3("apis/apps/v1");
  const before = await openApi.v2();
  const section = root.slice(1);
  assert.equal(openApi.v3(section), undefined);
  const three = readOtherV3({ openapi: "3.0.0", paths: { [`${root}/things`]: {} } }, root);
  const two = readOtherV2({ paths: { [`${root}/things`]: shows("Thing") }, definitions: { Thing: text } }, root);
  assert.ok(three && two);
  others = {
    two: [two],
    three: new Map([
      [section, three],
      ["apis/apps/v1", three],
    ]),
  };
  assert.equal(openApi.v3(section), three);
  assert.equal(openApi.v3("apis/apps/v1"), apps, "what is served here stands for itself");
  assert.match(
    String((await openApi.v3Index()).json),
    new RegExp(`"${section}":\\{"serverRelativeURL":"/openapi/v3/${section}\\?hash=${three.hash}"`),
  );
  const merged = await openApi.v2();
  assert.match(String(merged.json), /"\/apis\/ext\.example\.com\/v1\/things"/);
  assert.ok(merged.protobuf().length > before.protobuf().length);
  others = none;
  assert.equal((await openApi.v2()).hash, before.hash);
});
