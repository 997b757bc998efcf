import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import type { Client, RawRequest, RawResponse } from "./client.js";
import { createDiscovery } from "./discovery.js";

const resource = (plural: string, kind: string, verbs: readonly string[], scope = "Namespaced") => ({
  resource: plural,
  responseKind: { group: "", version: "v1", kind },
  scope,
  singularResource: kind.toLowerCase(),
  verbs,
});
const core = {
  metadata: { creationTimestamp: null },
  versions: [
    {
      version: "v1",
      resources: [resource("pods", "Pod", ["get", "list"]), resource("nodes", "Node", ["get"], "Cluster")],
      freshness: "Current",
    },
  ],
};
const group = (name: string, versions: readonly object[]) => ({ metadata: { name }, versions });

/** Answers `/api` and `/apis` with groups that the test may change, each document with a tag of its content. */
function createServer() {
  const groups = {
    "/api": [core] as readonly object[],
    "/apis": [
      group("apps.example.com", [
        { version: "v1", resources: [resource("webs", "Web", ["get", "delete"])], freshness: "Current" },
        {
          version: "v1beta1",
          resources: [resource("webs", "Web", ["get"]), resource("olds", "Old", ["get"])],
          freshness: "Current",
        },
      ]),
    ] as readonly object[],
  };
  const answers: string[] = [];
  const raw = async ({ path, headers }: RawRequest): Promise<RawResponse> => {
    const items = path === "/api" ? groups["/api"] : groups["/apis"];
    const body = Buffer.from(JSON.stringify({ kind: "APIGroupDiscoveryList", items }));
    const etag = `"${body.length}"`;
    const same = headers?.["if-none-match"] === etag;
    answers.push(`${same ? 304 : 200} ${path} ${headers?.["accept"]}`);
    return same ? { status: 304, headers: {}, body: Buffer.alloc(0) } : { status: 200, headers: { etag }, body };
  };
  return { groups, answers, client: { raw } };
}

const accept = "application/json;g=apidiscovery.orch;v=v2;as=APIGroupDiscoveryList, application/json";

function discoveryOf(client: Pick<Client, "raw">) {
  return createDiscovery(client, createNaming("orch"));
}

test("every resource is told in every version, and once in the preferred one that has it", async () => {
  const { client, answers } = createServer();
  const { all, preferred, stale } = await discoveryOf(client).read();
  const text = (r: { group: string; version: string; resource: string; kind: string; namespaced: boolean }): string =>
    `${r.group}/${r.version}/${r.resource} ${r.kind}${r.namespaced ? "" : " cluster"}`;
  assert.deepEqual(all.map(text), [
    "/v1/pods Pod",
    "/v1/nodes Node cluster",
    "apps.example.com/v1/webs Web",
    "apps.example.com/v1beta1/webs Web",
    "apps.example.com/v1beta1/olds Old",
  ]);
  assert.deepEqual(preferred.map(text), [
    "/v1/pods Pod",
    "/v1/nodes Node cluster",
    "apps.example.com/v1/webs Web",
    "apps.example.com/v1beta1/olds Old",
  ]);
  assert.deepEqual(all[2]?.verbs, ["get", "delete"]);
  assert.deepEqual(stale, []);
  assert.deepEqual(answers, [`200 /api ${accept}`, `200 /apis ${accept}`]);
});

test("what has not changed is not sent again, and is the same value", async () => {
  const { client, answers, groups } = createServer();
  const discovery = discoveryOf(client);
  const first = await discovery.read();
  assert.equal(await discovery.read(), first);
  assert.deepEqual(
    answers.splice(0).map((a) => a.slice(0, 9)),
    ["200 /api ", "200 /apis", "304 /api ", "304 /apis"],
  );
  groups["/apis"] = [...groups["/apis"], group("more.example.com", [{ version: "v1", freshness: "Stale" }])];
  const second = await discovery.read();
  assert.notEqual(second, first);
  assert.deepEqual(second.stale, ["more.example.com/v1"]);
  assert.deepEqual(
    answers.map((a) => a.slice(0, 9)),
    ["304 /api ", "200 /apis"],
  );
});

test("an answer that is no discovery is an error", async () => {
  const raw = async (): Promise<RawResponse> => ({ status: 200, headers: {}, body: Buffer.from('{"kind":"Status"}') });
  await assert.rejects(discoveryOf({ raw }).read(), { reason: "InternalError" });
});

test("a server without aggregated discovery is asked for each version's resources", async () => {
  const documents: Readonly<Record<string, unknown>> = {
    "/api": { kind: "APIVersions", versions: ["v1"] },
    "/api/v1": {
      resources: [
        { name: "pods", kind: "Pod", namespaced: true, verbs: ["get"] },
        { name: "pods/status", kind: "Pod", namespaced: true, verbs: ["get"] },
      ],
    },
    "/apis": {
      kind: "APIGroupList",
      groups: [
        {
          name: "apps.example.com",
          versions: [{ version: "v1beta1" }, { version: "v1" }, { version: "v0" }],
          preferredVersion: { version: "v1" },
        },
      ],
    },
    "/apis/apps.example.com/v1": { resources: [{ name: "webs", kind: "Web", namespaced: false, verbs: ["list"] }] },
    "/apis/apps.example.com/v1beta1": { resources: [{ name: "webs", kind: "Web", namespaced: false, verbs: [] }] },
  };
  const raw = async ({ path }: RawRequest): Promise<RawResponse> => {
    const document = documents[path];
    if (document === undefined) throw new Error(`no ${path}`);
    return { status: 200, headers: { etag: '"a"' }, body: Buffer.from(JSON.stringify(document)) };
  };
  const { all, preferred, stale } = await discoveryOf({ raw }).read();
  assert.deepEqual(
    all.map(({ group, version, resource, namespaced }) => [group, version, resource, namespaced]),
    [
      ["", "v1", "pods", true],
      ["apps.example.com", "v1", "webs", false],
      ["apps.example.com", "v1beta1", "webs", false],
    ],
  );
  assert.deepEqual(
    preferred.map(({ version, resource }) => [version, resource]),
    [
      ["v1", "pods"],
      ["v1", "webs"],
    ],
  );
  assert.deepEqual(stale, ["apps.example.com/v0"]);
});
