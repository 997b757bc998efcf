import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createRemoteDocuments } from "./remote-documents.js";
import { type Serve, startBackend } from "./testing/backend.js";
import { until } from "./testing/cluster.js";
import { apiName, group, remoteKit } from "./testing/remote-kit.js";

async function setup(t: TestContext, serve: Serve) {
  const { port, heard } = await startBackend(t, serve);
  const kit = remoteKit(t);
  const failures: unknown[] = [];
  const documents = createRemoteDocuments({ ...kit, failed: (_name, error) => void failures.push(error) });
  documents.start();
  t.after(() => documents.stop());
  const held = kit.views.hold({ namespace: "ns", name: "svc" }, () => {});
  t.after(() => held.release());
  kit.expose();
  await until(() => held.view().loaded && held.view().service !== undefined);
  kit.register(port, { available: true });
  await until(() => kit.services.byName.has(apiName));
  const known = () => {
    const service = kit.services.byName.get(apiName);
    return service === undefined ? undefined : documents.resources(service);
  };
  return {
    ...{ ...kit, heard, documents, failures, known, port },
    current: () => until(() => known()?.isStale === false),
    failed: () => until(() => failures.length > 0),
  };
}

type Answers = Readonly<Record<string, unknown>>;
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** Answers by path; text as it is. */
const answering =
  (answers: Answers): Serve =>
  ({ url = "" }, response) => {
    const found = answers[url];
    if (found === undefined) return void response.writeHead(404).end();
    if (url === "/apis") response.setHeader("Content-Type", aggregated);
    response.end(typeof found === "string" ? found : JSON.stringify(found));
  };

const things = {
  ...{ resource: "things", responseKind: { group, version: "v1", kind: "Thing" }, scope: "Namespaced" },
  ...{ singularResource: "thing", verbs: ["get"] },
};
const listOf = (...groups: readonly object[]): object => ({ kind: "APIGroupDiscoveryList", items: groups });
const groupOf = (name: string, resources: readonly unknown[]): object => ({
  metadata: { name },
  versions: [{ version: "v1", resources }],
});

test("of a server's document counts what it says of its own group-version, and nothing else", async (t) => {
  const evil = groupOf("apps", [{ ...things, resource: "deployments" }]);
  const { known, current } = await setup(
    t,
    answering({ "/apis": listOf(evil, groupOf(group, [{ ...things, more: "x" }])) }),
  );
  await current();
  assert.deepEqual(known(), { resources: [things], isStale: false });
});

test("a server without the new form is asked for the old one", async (t) => {
  const old = {
    resources: [
      { name: "things", singularName: "thing", namespaced: true, kind: "Thing", verbs: ["get"], shortNames: ["t"] },
      { name: "things/status", singularName: "", namespaced: true, kind: "Thing", verbs: ["update"] },
    ],
  };
  const { known, current } = await setup(t, answering({ [`/apis/${group}/v1`]: old }));
  await current();
  const responseKind = { group: "", version: "", kind: "Thing" };
  assert.deepEqual(known()?.resources, [
    {
      ...{ ...things, responseKind, shortNames: ["t"] },
      subresources: [{ subresource: "status", responseKind, verbs: ["update"] }],
    },
  ]);
});

const lies: readonly (readonly [what: string, serve: Serve])[] = [
  ["is no JSON", answering({ "/apis": "{" })],
  ["is no object", answering({ "/apis": "[1]" })],
  [
    "never ends",
    (_message, response) => {
      response.setHeader("Content-Type", aggregated);
      const more = (): void =>
        void (
          response.socket?.destroyed === false && response.write(Buffer.alloc(1 << 16, " "), () => setImmediate(more))
        );
      more();
    },
  ],
  [
    "breaks off",
    ({ socket }, response) => {
      response.setHeader("Content-Type", aggregated);
      response.write("{", () => socket.destroy());
    },
  ],
  ["is 503", (_message, response) => void response.writeHead(503).end()],
  [
    "is another protocol",
    ({ socket }) => void socket.write("HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"),
  ],
];

for (const [what, serve] of lies) {
  test(`a server whose document ${what} is stale and has no resources`, async (t) => {
    const { known, failed } = await setup(t, serve);
    await failed();
    assert.deepEqual(known(), { resources: undefined, isStale: true });
  });
}

test("values of a wrong kind in a document are left out or empty", async (t) => {
  const resources = [
    7,
    null,
    {},
    { resource: 5 },
    { resource: "things", verbs: "get", shortNames: [1, "t"], subresources: [{}, 3] },
  ];
  const { known, current } = await setup(t, answering({ "/apis": listOf({}, groupOf(group, resources)) }));
  await current();
  assert.deepEqual(known()?.resources, [
    {
      ...{ resource: "things", responseKind: { group: "", version: "", kind: "" }, scope: "Cluster" },
      ...{ singularResource: "", verbs: [], shortNames: ["t"] },
    },
  ]);
});

test("what a server has said is kept, and stale, while it is not available", async (t) => {
  const { known, current, register, port, documents } = await setup(
    t,
    answering({ "/apis": listOf(groupOf(group, [things])) }),
  );
  await current();
  const { version } = documents;
  register(port, { available: false });
  await until(() => known()?.isStale === true);
  assert.deepEqual(known()?.resources, [things]);
  assert.ok(documents.version > version);
  register(port, { available: true });
  await current();
});

const schema = { type: "object", properties: { spec: { type: "string" } } };
const path = `/apis/${group}/v1/things`;
const operations = { get: { responses: { 200: { description: "OK", schema: { $ref: "#/definitions/ext.Thing" } } } } };

test("of OpenAPI documents counts what is below the paths of the group-version", async (t) => {
  const three = {
    openapi: "3.0.0",
    info: { title: "x", version: "1" },
    paths: { [path]: {}, "/apis/apps/v1/x": {} },
    components: { schemas: { Thing: schema } },
  };
  const two = {
    swagger: "2.0",
    paths: { [path]: operations, "/apis/apps/v1/x": operations },
    definitions: { "ext.Thing": schema, Unused: schema },
  };
  const url = `/openapi/v3/apis/${group}/v1?hash=A`;
  const { documents, current } = await setup(
    t,
    answering({
      "/apis": listOf(groupOf(group, [things])),
      "/openapi/v3": {
        paths: { [`apis/${group}/v1`]: { serverRelativeURL: url }, "apis/apps/v1": { serverRelativeURL: "/x" } },
      },
      [url]: three,
      "/openapi/v2": two,
    }),
  );
  await current();
  await until(() => documents.openApi.two.length === 1);
  assert.deepEqual(documents.openApi.two, [
    { paths: { [path]: operations }, definitions: { "ext.Thing": schema }, parameters: {} },
  ]);
  assert.deepEqual([...documents.openApi.three.keys()], [`apis/${group}/v1`]);
  const [only] = documents.openApi.three.values();
  assert.deepEqual(JSON.parse(String(only?.json)).paths, { [path]: {} });
});

const deep = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`;

for (const [what, text] of [
  ["no JSON", "{"],
  ["too deep", `{"swagger":"2.0","paths":{"${path}":${deep}}}`],
  ["of words that no document has", `{"swagger":"2.0","paths":{"${path}":{"get":{"nonsense":1}}}}`],
] as const) {
  test(`an OpenAPI document that is ${what} is left out`, async (t) => {
    const { documents, current, heard } = await setup(
      t,
      answering({ "/apis": listOf(groupOf(group, [things])), "/openapi/v2": text }),
    );
    await current();
    await until(() => heard.some(({ url }) => url === "/openapi/v2"));
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(documents.openApi.two, []);
  });
}
