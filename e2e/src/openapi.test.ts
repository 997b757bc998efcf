import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { isRecord } from "@orch/client/objects.js";
import { decodeMessage } from "@orch/codec/protobuf/decode.js";
import { field, type MessageType, message } from "@orch/schema/descriptor.js";
import { type Answer, connect, type Http, valueAt } from "./harness/http.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";

const protobuf = (version: string): string => `application/com.github.proto-openapi.spec.${version}@v1.0+protobuf`;

/** The OpenAPI documents as clients fetch them; what stands in them is checked by the tests of the catalog. */
describe("OpenAPI over HTTPS", () => {
  let target: StandaloneTarget;
  let http: Http;
  before(async () => {
    target = await startStandalone({ dialect: "kubernetes" });
    http = connect(target);
  });
  after(async () => {
    http.close();
    await target.stop();
  });

  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    http.call({ path, headers });

  async function isNotSentAgain(path: string, answer: Answer): Promise<void> {
    const etag = String(answer.headers["etag"]);
    assert.match(etag, /^"[0-9A-F]{128}"$/);
    const same = await get(path, { "if-none-match": etag });
    assert.deepEqual([same.status, same.bytes.length], [304, 0]);
  }

  test("version 2 describes every resource, in JSON and in Protobuf", async () => {
    const json = await get("/openapi/v2");
    assert.equal(json.headers["content-type"], "application/json");
    assert.equal(json.at("swagger"), "2.0");
    await isNotSentAgain("/openapi/v2", json);

    const binary = await get("/openapi/v2", { accept: protobuf("v2") });
    // `@` may not stand in a media type: it is asked for by one name and answered by the other.
    assert.equal(binary.headers["content-type"], protobuf("v2").replace("@", "."));
    assert.equal(binary.headers["etag"], json.headers["etag"]);
    const document = decodeMessage(documentV2, binary.bytes);
    assert.equal(document["swagger"], "2.0");
    assert.deepEqual(namesIn(document, "paths.path"), keysAt(json, "paths"));
    assert.deepEqual(namesIn(document, "definitions.additionalProperties"), keysAt(json, "definitions"));
    assert.equal((await get("/openapi/v2", { accept: "text/html" })).status, 406);
  });

  test("version 3 is told in parts, each at an address of its content", async () => {
    const index = await get("/openapi/v3");
    await isNotSentAgain("/openapi/v3", index);
    const sections = index.at("paths");
    assert.ok(isRecord(sections));
    for (const [section, { url }] of urlsOf(sections)) {
      const answer = await get(url);
      assert.equal(answer.status, 200, url);
      assert.equal(answer.at("openapi"), "3.0.0");
      assert.equal(answer.headers["cache-control"], "public, immutable");
      assert.equal(`"${new URL(url, "https://x").searchParams.get("hash")}"`, answer.headers["etag"]);
      for (const path of keysAt(answer, "paths")) assert.ok(path.startsWith(`/${section}`), `${path} in ${section}`);
      const plain = await get(`/openapi/v3/${section}`);
      assert.equal(plain.text, answer.text);
      assert.notEqual(plain.headers["cache-control"], "public, immutable");
      await isNotSentAgain(`/openapi/v3/${section}`, plain);
      const stale = await get(`/openapi/v3/${section}?hash=0`);
      assert.deepEqual([stale.status, stale.headers["location"]], [301, url]);
    }
    const [url = ""] = urlsOf(sections).map(([, at]) => at.url);
    const binary = await get(url, { accept: protobuf("v3") });
    assert.equal(binary.headers["content-type"], protobuf("v3").replace("@", "."));
    assert.equal(decodeMessage(documentV3, binary.bytes)["openapi"], "3.0.0");
    assert.equal((await get("/openapi/v3/apis/nothing/v1")).status, 404);
  });

  test("every resource that is discovered is described, with its kind, verbs and fields", async () => {
    const described = await get("/openapi/v2");
    const groupVersions = [
      "v1",
      ...listAt((await http.get("/apis")).json(), "groups").flatMap((group) =>
        listAt(group, "versions").map((version) => String(valueAt(version, "groupVersion"))),
      ),
    ];
    for (const groupVersion of groupVersions) {
      const root = groupVersion.includes("/") ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
      const section = await get(`/openapi/v3${root}`);
      for (const resource of listAt((await http.get(root)).json(), "resources")) {
        const [name, part] = String(valueAt(resource, "name")).split("/");
        const scope = valueAt(resource, "namespaced") === true ? "/namespaces/{namespace}" : "";
        const path = `${root}${scope}/${name}`;
        const verbs = listAt(resource, "verbs").map(String);
        const single = verbs.includes("get") ? [`${path}/{name}`] : [];
        const at = part === undefined ? [path, ...single] : [`${path}/{name}/${part}`];
        for (const document of [section, described]) {
          const operations = at.flatMap((p) => operationsOf(document, p));
          // What connects to a node has one word for all its verbs, as in the reference; log is read.
          if (part !== undefined && connecting.has(part)) {
            assert.ok(operations.includes("connect"), `${path} ${part}: ${operations}`);
            continue;
          }
          // Watches stand at paths of their own.
          const described = verbs.filter((verb) => verb !== "watch" && operations.includes(verb));
          assert.deepEqual(
            described,
            verbs.filter((verb) => verb !== "watch"),
            `${path} ${part}: ${operations}`,
          );
        }
      }
    }
  });

  test("what explains a field finds it by group, version and kind", async () => {
    const schemas = (await get("/openapi/v3/apis/apps/v1")).at("components.schemas");
    assert.ok(isRecord(schemas));
    const wanted = { group: "apps", version: "v1", kind: "Deployment" };
    const deployment = Object.values(schemas).find((schema) => {
      const kinds = valueAt(schema, "x-kubernetes-group-version-kind");
      return Array.isArray(kinds) && kinds.some((kind) => isDeepStrictEqual(kind, wanted));
    });
    const reference = JSON.stringify(valueAt(deployment, "properties.spec"));
    const [, name = ""] = /#\/components\/schemas\/([\w.-]+)/.exec(reference) ?? [];
    const spec = schemas[name];
    assert.equal(valueAt(spec, "properties.replicas.type"), "integer");
    assert.ok(String(valueAt(spec, "properties.replicas.description")).length > 10);
  });
});

const named: MessageType = message({
  name: "Named",
  fields: () => [field({ name: "name", number: 1, type: { kind: "string" } })],
});

function namedList(name: string, number: number): MessageType {
  const type = { kind: "list", item: named, listType: "atomic", keys: [], wrapped: false } as const;
  return message({ name: `List of ${name}`, fields: () => [field({ name, number, type })] });
}

/** The numbers that the published OpenAPIv2.proto gives to a little of it. */
const documentV2 = message({
  name: "Document",
  fields: () => [
    field({ name: "swagger", number: 1, type: { kind: "string" } }),
    field({ name: "paths", number: 8, type: namedList("path", 2) }),
    field({ name: "definitions", number: 9, type: namedList("additionalProperties", 1) }),
  ],
});
const documentV3 = message({
  name: "Document",
  fields: () => [field({ name: "openapi", number: 1, type: { kind: "string" } })],
});

function namesIn(document: unknown, path: string): readonly string[] {
  return listAt(document, path).map((item) => String(valueAt(item, "name")));
}

function keysAt(answer: Answer, path: string): readonly string[] {
  const value = answer.at(path);
  assert.ok(isRecord(value), path);
  return Object.keys(value);
}

function listAt(value: unknown, path: string): readonly unknown[] {
  const list = valueAt(value, path);
  assert.ok(Array.isArray(list), `no list at ${path}`);
  return list;
}

function urlsOf(sections: Readonly<Record<string, unknown>>): readonly (readonly [string, { readonly url: string }])[] {
  return Object.entries(sections).map(([name, at]) => [name, { url: String(valueAt(at, "serverRelativeURL")) }]);
}

/** What can be done at a path, as verbs. */
function operationsOf(document: Answer, path: string): readonly string[] {
  const item = Object.entries(pathsOf(document)).find(([at]) => at === path)?.[1];
  assert.ok(isRecord(item), `${path} is not described`);
  return Object.values(item).map((operation) => verbOf(String(valueAt(operation, "x-kubernetes-action"))));
}

function pathsOf(document: Answer): Readonly<Record<string, unknown>> {
  const paths = document.at("paths");
  assert.ok(isRecord(paths));
  return paths;
}

/** Of an `x-kubernetes-action`, most of which are verbs themselves. */
function verbOf(action: string): string {
  if (action === "post") return "create";
  return action === "put" ? "update" : action;
}

const connecting: ReadonlySet<string> = new Set(["exec", "attach", "portforward", "proxy"]);
