import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { Validator } from "@seriousme/openapi-schema-validator";
import { loadCatalog } from "../catalog.js";
import { createLiveCatalog } from "../custom/live-catalog.js";
import { valueAt } from "../object.js";
import { createOpenApi, type OpenApi } from "./openapi.js";
import { parsed, part } from "./testing/parts.js";

const mediaTypes = ["application/json", "application/yaml", "application/cbor"];
const naming = createNaming("kubernetes");

function every(listExtensions = false): OpenApi {
  const catalog = loadCatalog(naming, { runtimeConfig: ["api/all"] });
  const kinds = catalog.groups().flatMap((g) => g.versions.flatMap((v) => catalog.kindsOf(g.name, v)));
  const subresources = new Set(kinds.flatMap((kind) => kind.subresources.map((s) => s.name)));
  return createOpenApi(createLiveCatalog(catalog), { naming, offers: { subresources, mediaTypes, listExtensions } });
}

const api = every();
let v2: JsonObject;
let core: JsonObject;
let sections: readonly string[];

before(async () => {
  v2 = parsed(await api.v2());
  core = parsed(api.v3("api/v1"));
  const paths = part(parsed(await api.v3Index()), "paths");
  sections = isObject(paths) ? Object.keys(paths) : [];
});

const validator = new Validator();

/** It takes the property `$ref` of JSONSchemaProps for a reference. */
async function problems(document: JsonObject): Promise<unknown> {
  const copy: unknown = JSON.parse(JSON.stringify(document).replaceAll('"$ref":{', '"ref":{'));
  const { valid, errors } = await validator.validate(isObject(copy) ? { ...copy } : {});
  return valid ? undefined : errors;
}

test("the document of version 2 is valid", async () => {
  assert.equal(await problems(v2), undefined);
});

test("the document of version 3 of every part is valid", async () => {
  assert.ok(sections.length > 50);
  for (const section of sections) assert.equal(await problems(parsed(api.v3(section))), undefined, section);
});

test("what is referred to is there", async () => {
  for (const document of [v2, ...sections.map((section) => parsed(api.v3(section)))]) {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g);
    for (const [, path = ""] of references) assert.ok(part(document, ...path.split("/")) !== undefined, path);
  }
});

/** Names of the query's parameters of an operation. */
function asked(document: JsonObject, path: string): readonly unknown[] {
  const parameters = [part(document, "paths", path, "get", "parameters"), part(document, "paths", path, "parameters")];
  return parameters.flat().map((parameter) => {
    const reference = part(parameter, "$ref");
    const shared =
      typeof reference === "string" ? part(document, ...reference.slice("#/".length).split("/")) : parameter;
    return part(shared, "name");
  });
}

test("order, fields and scope are parameters where they are served, and nowhere else", async () => {
  const beyond = ["fields", "sort", "scope"];
  const serving = every(true);
  const rows = [
    ["/api/v1/configmaps", ["fields", "sort", "scope"]],
    ["/api/v1/namespaces/{namespace}/configmaps", ["fields", "sort"]],
    ["/api/v1/namespaces/{namespace}/configmaps/{name}", ["fields"]],
    ["/api/v1/nodes", ["fields", "sort"]],
    ["/api/v1/nodes/{name}", ["fields"]],
    ["/api/v1/watch/configmaps", []],
  ] as const;
  for (const document of [parsed(await serving.v2()), parsed(serving.v3("api/v1"))]) {
    assert.equal(await problems(document), undefined);
    for (const [path, names] of rows) {
      const found = asked(document, path);
      assert.deepEqual(
        beyond.filter((name) => found.includes(name)),
        names,
        path,
      );
    }
  }
  for (const document of [v2, ...sections.map((section) => parsed(api.v3(section)))]) {
    const paths = part(document, "paths");
    for (const path of isObject(paths) ? Object.keys(paths) : []) {
      assert.deepEqual(
        beyond.filter((name) => asked(document, path).includes(name)),
        [],
        path,
      );
    }
    assert.doesNotMatch(JSON.stringify(document), /"name":"(sort|scope|fields)","in":"query"/);
  }
});

test("no operation has the id of another", () => {
  const ids = [...JSON.stringify(v2).matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id);
  assert.ok(ids.length > 800);
  assert.equal(new Set(ids).size, ids.length);
});

const ref = (name: string): JsonObject => ({ $ref: `#/definitions/io.k8s.${name}` });
const machinery = "apimachinery.pkg";
/** Without descriptions, which say the same in both versions. */
const properties: readonly (readonly [path: string, v2: JsonObject, v3: JsonObject])[] = [
  [
    "api.core.v1.Pod.spec",
    ref("api.core.v1.PodSpec"),
    { allOf: [{ $ref: "#/components/schemas/io.k8s.api.core.v1.PodSpec" }], default: {} },
  ],
  [
    "api.core.v1.PodSpec.containers",
    {
      type: "array",
      items: ref("api.core.v1.Container"),
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "name",
    },
    {
      type: "array",
      items: { allOf: [{ $ref: "#/components/schemas/io.k8s.api.core.v1.Container" }], default: {} },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "name",
    },
  ],
  [
    "api.core.v1.PodSpec.restartPolicy",
    { type: "string", enum: ["Always", "Never", "OnFailure"] },
    { type: "string", enum: ["Always", "Never", "OnFailure"], default: "Always" },
  ],
  [
    "api.core.v1.ContainerPort.containerPort",
    { type: "integer", format: "int32" },
    { type: "integer", format: "int32", default: 0 },
  ],
  [
    "api.core.v1.Secret.data",
    { type: "object", additionalProperties: { type: "string", format: "byte" } },
    { type: "object", additionalProperties: { type: "string", format: "byte" } },
  ],
  [
    "api.core.v1.PersistentVolumeSpec.claimRef",
    { ...ref("api.core.v1.ObjectReference"), "x-kubernetes-map-type": "granular" },
    {
      allOf: [{ $ref: "#/components/schemas/io.k8s.api.core.v1.ObjectReference" }],
      "x-kubernetes-map-type": "granular",
    },
  ],
];

function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => key !== "description");
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutDescriptions(inner)]));
}

for (const [path, two, three] of properties) {
  test(`the schema of ${path}`, () => {
    const dot = path.lastIndexOf(".");
    const [name, property] = [`io.k8s.${path.slice(0, dot)}`, path.slice(dot + 1)];
    assert.deepEqual(withoutDescriptions(part(v2, "definitions", name, "properties", property)), two);
    assert.deepEqual(withoutDescriptions(part(core, "components", "schemas", name, "properties", property)), three);
  });
}

const schemas: readonly (readonly [name: string, v2: JsonObject, v3: JsonObject])[] = [
  [`${machinery}.api.resource.Quantity`, { type: "string" }, { oneOf: [{ type: "string" }, { type: "number" }] }],
  [
    `${machinery}.util.intstr.IntOrString`,
    { type: "string", format: "int-or-string" },
    { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
  ],
  [`${machinery}.apis.meta.v1.Time`, { type: "string", format: "date-time" }, { type: "string", format: "date-time" }],
  [`${machinery}.apis.meta.v1.FieldsV1`, { type: "object" }, { type: "object" }],
  [`${machinery}.runtime.RawExtension`, { type: "object" }, { type: "object" }],
];

for (const [name, two, three] of schemas) {
  test(`the schema of ${name}`, () => {
    assert.deepEqual(withoutDescriptions(part(v2, "definitions", `io.k8s.${name}`)), two);
    assert.deepEqual(withoutDescriptions(part(core, "components", "schemas", `io.k8s.${name}`)), three);
  });
}

test("a kind tells its group, version and kind, an atomic type that it is one", () => {
  const definition = (name: string) => part(v2, "definitions", `io.k8s.${name}`);
  assert.deepEqual(part(definition("api.apps.v1.Deployment"), "x-kubernetes-group-version-kind"), [
    { group: "apps", kind: "Deployment", version: "v1" },
  ]);
  assert.deepEqual(part(definition("api.rbac.v1.RoleList"), "x-kubernetes-group-version-kind"), [
    { group: "rbac.authorization.k8s.io", kind: "RoleList", version: "v1" },
  ]);
  assert.equal(part(definition("api.core.v1.ObjectReference"), "x-kubernetes-map-type"), "atomic");
  assert.deepEqual(part(definition("api.core.v1.ContainerPort"), "required"), ["containerPort"]);
  assert.deepEqual(part(definition("api.core.v1.SeccompProfile"), "x-kubernetes-unions"), [
    { discriminator: "type", "fields-to-discriminateBy": { localhostProfile: "LocalhostProfile" } },
  ]);
});

interface Told {
  readonly path: string;
  readonly method: string;
  readonly id: string;
  readonly action: string | undefined;
  readonly codes: readonly string[];
  readonly parameters: readonly string[];
}

const pods = "/api/v1/namespaces/{namespace}/pods";
const selection = ["continue", "fieldSelector", "labelSelector", "limit", "resourceVersion", "resourceVersionMatch"];
const listing = ["allowWatchBookmarks", ...selection, "sendInitialEvents", "timeoutSeconds", "watch"];
const told: readonly Told[] = [
  {
    path: pods,
    method: "get",
    id: "listCoreV1NamespacedPod",
    action: "list",
    codes: ["200", "401"],
    parameters: listing,
  },
  {
    path: pods,
    method: "post",
    id: "createCoreV1NamespacedPod",
    action: "post",
    codes: ["200", "201", "202", "401"],
    parameters: ["dryRun", "fieldManager", "fieldValidation"],
  },
  {
    path: `${pods}/{name}`,
    method: "patch",
    id: "patchCoreV1NamespacedPod",
    action: "patch",
    codes: ["200", "201", "401"],
    parameters: ["dryRun", "fieldManager", "fieldValidation", "force"],
  },
  {
    path: `${pods}/{name}/exec`,
    method: "post",
    id: "connectCoreV1PostNamespacedPodExec",
    action: "connect",
    codes: ["200", "401"],
    parameters: [],
  },
  {
    path: `${pods}/{name}/proxy/{path}`,
    method: "options",
    id: "connectCoreV1OptionsNamespacedPodProxyWithPath",
    action: "connect",
    codes: ["200", "401"],
    parameters: [],
  },
  {
    path: "/api/v1/watch/pods",
    method: "get",
    id: "watchCoreV1PodListForAllNamespaces",
    action: "watchlist",
    codes: ["200", "401"],
    parameters: [],
  },
  {
    path: "/api/v1/",
    method: "get",
    id: "getCoreV1APIResources",
    action: undefined,
    codes: ["200", "401"],
    parameters: [],
  },
];

for (const { path, method, id, action, codes, parameters } of told) {
  test(`${method.toUpperCase()} ${path} is ${id}`, () => {
    const operation = part(core, "paths", path, method);
    assert.equal(part(operation, "operationId"), id);
    assert.equal(part(operation, "x-kubernetes-action"), action);
    assert.deepEqual(Object.keys(part(operation, "responses") ?? {}), codes);
    const own = part(operation, "parameters") ?? [];
    assert.deepEqual(Array.isArray(own) && own.map((p) => part(p, "name")), parameters);
  });
}

test("parameters of all operations of a path stand at the path", () => {
  const names = (value: unknown) => (Array.isArray(value) ? value.map((p) => part(p, "name")) : []);
  assert.deepEqual(names(part(core, "paths", `${pods}/{name}`, "parameters")), ["name", "namespace", "pretty"]);
  assert.deepEqual(names(part(core, "paths", `${pods}/{name}/exec`, "parameters")), [
    "command",
    "container",
    "name",
    "namespace",
    "stderr",
    "stdin",
    "stdout",
    "tty",
  ]);
});

test("what older clients look for in an operation of version 2 is written there", () => {
  const parameters = part(v2, "paths", `${pods}/{name}`, "patch", "parameters");
  const inPlace = Array.isArray(parameters) ? parameters.filter((p) => part(p, "in") === "query") : [];
  assert.deepEqual(
    inPlace.map((p) => part(p, "name")),
    ["dryRun", "fieldValidation"],
  );
});

test("a list is answered in every media type and as a stream of those that stream", () => {
  const content = part(core, "paths", pods, "get", "responses", "200", "content");
  assert.deepEqual(Object.keys(content ?? {}), [
    ...mediaTypes,
    "application/json;stream=watch",
    "application/cbor-seq",
  ]);
});

test("only what is offered is promised", async () => {
  const few = createOpenApi(createLiveCatalog(loadCatalog(naming)), {
    naming,
    offers: { subresources: new Set(["status"]), mediaTypes: ["application/json"] },
  });
  const { paths } = parsed(few.v3("api/v1"));
  assert.ok(part(paths, `${pods}/{name}/status`));
  assert.equal(part(paths, `${pods}/{name}/exec`), undefined);
  assert.equal(few.v3("apis/nothing/v1"), undefined);
});

test("each part stands in the index with its hash", async () => {
  const index = parsed(await api.v3Index());
  const url = part(index, "paths", "apis/apps/v1", "serverRelativeURL");
  assert.equal(url, `/openapi/v3/apis/apps/v1?hash=${api.v3("apis/apps/v1")?.hash}`);
  assert.match(String(url), /hash=[0-9A-F]{128}$/);
  for (const name of ["api", "api/v1", "apis", "apis/apps", "version"]) assert.ok(sections.includes(name), name);
});

test("the same catalog gives the same documents, and each is built once", async () => {
  assert.equal(api.v3("api/v1"), api.v3("api/v1"));
  assert.equal(await api.v2(), await api.v2());
  assert.equal(every().v3("version")?.hash, api.v3("version")?.hash);
});

test("names of schemas and groups follow the dialect", () => {
  const orch = createNaming("orch");
  const offers = { subresources: new Set<string>(), mediaTypes };
  const document = createOpenApi(createLiveCatalog(loadCatalog(orch)), { naming: orch, offers }).v3(
    "apis/discovery.orch/v1",
  );
  // What the reference does not have stands in no document of its dialect.
  const collection = "/apis/discovery.orch/v1/namespaces/{namespace}/endpointslices";
  const explained = ["dryRun", "explain", "fieldManager", "fieldValidation"];
  const own = part(parsed(document), "paths", collection, "post", "parameters");
  assert.deepEqual(Array.isArray(own) && own.map((p) => part(p, "name")), explained);
  const slices = valueAt(parsed(document), "components.schemas");
  assert.deepEqual(part(slices, "io.orch.api.discovery.v1.EndpointSlice", "x-kubernetes-group-version-kind"), [
    { group: "discovery.orch", kind: "EndpointSlice", version: "v1" },
  ]);
});
