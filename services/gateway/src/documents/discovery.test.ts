import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { buffer } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { loadCatalog } from "@orch/api/catalog.js";
import { createLiveCatalog } from "@orch/api/custom/live-catalog.js";
import { valueAt } from "@orch/api/object.js";
import { parseCbor } from "@orch/codec/cbor/parse.js";
import type { Decoded } from "@orch/codec/decoded.js";
import { parseJson } from "@orch/codec/json.js";
import { createNegotiator, discoveryTransforms, objectOffers } from "@orch/codec/negotiate.js";
import { parseProtobuf } from "@orch/codec/protobuf/envelope.js";
import { parseYaml } from "@orch/codec/yaml/yaml.js";
import { createNaming } from "@orch/naming/naming.js";
import { noOtherApis } from "../aggregation/other-apis.js";
import { Http1Request } from "../http/http1/request.js";
import { Http1Response } from "../http/http1/response.js";
import { createPeerOf } from "../http/peer.js";
import { parsePath } from "../path.js";
import { representationOf } from "../representation.js";
import { discoveryDocument, type Served } from "./discovery.js";
import { aggregatedDocument, createAggregatedDiscovery } from "./discovery-aggregated.js";

const naming = createNaming("kubernetes");
const catalog = loadCatalog(naming);
const served: Served = {
  subresources: new Set(["status", "scale", "eviction"]),
  storageVersionHash: true,
  hasHistory: () => false,
};
const deps = { catalog, naming, served, gzip: true };

function form(version: string, type = "application/json"): string {
  return `${type};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
}

interface Entry {
  readonly name: string;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly storageVersionHash?: string;
}

function plain(path: string, offered: Served = served): readonly Entry[] {
  const route = parsePath(path);
  assert.ok(route.type === "discovery");
  const document = discoveryDocument(noOtherApis().groupsWith(catalog), route, { served: offered, address: "" });
  assert.ok(typeof document === "object" && document !== null && "resources" in document);
  assert.ok(Array.isArray(document.resources));
  return document.resources;
}

test("what is stored is told with a hash of its version while the gate for it is on; what only asks has none", () => {
  const hashed = (offered: Served) =>
    [...plain("/api/v1", offered), ...plain("/apis/authorization.k8s.io/v1", offered)]
      .filter((entry) => !entry.name.includes("/"))
      .map(({ name, storageVersionHash }) => `${name} ${storageVersionHash !== undefined}`);
  assert.ok(hashed(served).includes("pods true"));
  assert.ok(hashed(served).includes("bindings false"));
  const reviews = hashed(served).filter((entry) => entry.includes("reviews"));
  assert.deepEqual(reviews, [
    "localsubjectaccessreviews false",
    "selfsubjectaccessreviews false",
    "selfsubjectrulesreviews false",
    "subjectaccessreviews false",
  ]);
  assert.ok(hashed({ ...served, storageVersionHash: false }).every((entry) => entry.endsWith(" false")));
});

test("what has no path of its own is not told", () => {
  const names = plain("/apis/authentication.k8s.io/v1").map((entry) => [entry.name, ...entry.verbs]);
  assert.deepEqual(names, [
    ["selfsubjectreviews", "create"],
    ["tokenreviews", "create"],
  ]);
  assert.ok(!plain("/apis/policy/v1").some(({ name }) => name.startsWith("evictions")));
});

test("a subresource of another group tells which", () => {
  const find = (path: string, name: string) => plain(path).find((entry) => entry.name === name);
  const { group, version, kind, verbs } = find("/apis/apps/v1", "deployments/scale") ?? {};
  assert.deepEqual(
    { group, version, kind, verbs },
    {
      group: "autoscaling",
      version: "v1",
      kind: "Scale",
      verbs: ["get", "patch", "update"],
    },
  );
  assert.equal(find("/apis/apps/v1", "deployments/status")?.group, undefined);
  assert.equal(find("/api/v1", "pods/eviction")?.group, "policy");
  assert.equal(find("/api/v1", "pods/log"), undefined);
});

interface Group {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly {
    readonly version: string;
    readonly freshness: string;
    readonly resources?: Resource[];
  }[];
}
interface Resource {
  readonly resource: string;
  readonly subresources?: readonly { readonly subresource: string; readonly verbs: readonly string[] }[];
}

function aggregated(path: "/api" | "/apis"): readonly Group[] {
  const document = aggregatedDocument(
    { ...deps, groups: noOtherApis().groupsWith(deps.catalog), apis: noOtherApis() },
    { path, version: "v2" },
  );
  assert.ok(typeof document === "object" && document !== null && "items" in document);
  assert.ok(Array.isArray(document.items));
  return document.items;
}

test("one document holds the group without a name, the other all others", () => {
  assert.deepEqual(
    aggregated("/api").map((group) => group.metadata.name),
    [undefined],
  );
  const names = catalog.groups().map((group) => group.name);
  assert.deepEqual(
    aggregated("/apis").map((group) => group.metadata.name),
    names.slice(1),
  );
});

test("a resource is told whole", () => {
  const apps = aggregated("/apis").find((group) => group.metadata.name === "apps")?.versions[0];
  assert.equal(apps?.freshness, "Current");
  assert.deepEqual(
    apps?.resources?.find(({ resource }) => resource === "deployments"),
    {
      resource: "deployments",
      responseKind: { group: "", version: "", kind: "Deployment" },
      scope: "Namespaced",
      singularResource: "deployment",
      verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
      shortNames: ["deploy"],
      categories: ["all"],
      subresources: [
        {
          subresource: "scale",
          responseKind: { group: "autoscaling", version: "v1", kind: "Scale" },
          verbs: ["get", "patch", "update"],
        },
        {
          subresource: "status",
          responseKind: { group: "", version: "", kind: "Deployment" },
          verbs: ["get", "patch", "update"],
        },
      ],
    },
  );
});

test("both forms promise the same resources, subresources and verbs", () => {
  for (const { metadata, versions } of [...aggregated("/api"), ...aggregated("/apis")]) {
    for (const { version, resources = [] } of versions) {
      const path = metadata.name === undefined ? `/api/${version}` : `/apis/${metadata.name}/${version}`;
      const names = resources.flatMap(({ resource, subresources = [] }) => [
        resource,
        ...subresources.map((s) => `${resource}/${s.subresource}`),
      ]);
      assert.deepEqual(
        names,
        plain(path).map((entry) => entry.name),
      );
    }
  }
});

const negotiator = createNegotiator(objectOffers(naming, { cbor: true }), discoveryTransforms(naming));
const discovery = createAggregatedDiscovery({ ...deps, apis: noOtherApis(), catalog: createLiveCatalog(deps.catalog) });
const peerOf = createPeerOf();
const server: Server = createServer((message, outgoing) => {
  const request = new Http1Request("1", message, peerOf);
  const response = new Http1Response("1", outgoing, { atTurnEnd: (run) => run(), isLeaving: () => false });
  const representation = representationOf(negotiator, request, "get");
  const version = representation.transform?.version ?? "";
  void discovery.send({ request, response }, representation, {
    path: request.path === "/api" ? "/api" : "/apis",
    version,
  });
});
let origin = "";

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  origin = typeof address === "object" ? `http://127.0.0.1:${address?.port}` : "";
});

after(() => server.close());

test("the answer names its form; who has it is told that it did not change", async () => {
  const accept = `${form("v2beta1")},application/json`;
  const first = await fetch(`${origin}/apis`, { headers: { accept } });
  const body: unknown = await first.json();
  assert.equal(first.headers.get("content-type"), form("v2beta1"));
  assert.equal(first.headers.get("vary"), "Accept, Accept-Encoding");
  assert.ok(typeof body === "object" && body !== null);
  assert.equal(valueAt(body, "apiVersion"), "apidiscovery.k8s.io/v2beta1");
  const etag = first.headers.get("etag") ?? "";
  assert.match(etag, /^"[0-9A-F]{128}"$/);
  const second = await fetch(`${origin}/apis`, { headers: { accept, "if-none-match": etag } });
  assert.equal(second.status, 304);
  assert.equal(await second.text(), "");
  const other = await fetch(`${origin}/api`, { headers: { accept, "if-none-match": etag } });
  assert.equal(other.status, 200);
  await other.text();
});

test("it is compressed for who takes that, under the same ETag, and kept", async () => {
  const accept = form("v2");
  const bodies: Buffer[] = [];
  const tags = new Set<unknown>();
  for (const encoding of ["identity", "gzip", "gzip"]) {
    const asked = request(`${origin}/apis`, { headers: { accept, "accept-encoding": encoding } });
    const answered: Promise<IncomingMessage[]> = once(asked, "response");
    asked.end();
    const [answer] = await answered;
    assert.ok(answer);
    assert.equal(answer.headers["content-encoding"], encoding === "gzip" ? "gzip" : undefined);
    tags.add(answer.headers.etag);
    bodies.push(await buffer(answer));
  }
  const [plainBody, zipped, again] = bodies;
  assert.ok(plainBody && zipped && again);
  assert.deepEqual(gunzipSync(zipped), plainBody);
  assert.deepEqual(again, zipped);
  assert.equal(tags.size, 1);
});

const type = catalog.type("apidiscovery/v2.APIGroupDiscoveryList");
const readers: readonly (readonly [mediaType: string, read: (body: Buffer) => Decoded])[] = [
  ["application/json", parseJson],
  ["application/yaml", parseYaml],
  ["application/cbor", parseCbor],
  ["application/vnd.kubernetes.protobuf", (body) => parseProtobuf(type ?? assert.fail(), body)],
];

for (const [mediaType, read] of readers) {
  test(`it is told in ${mediaType}`, async () => {
    const answer = await fetch(`${origin}/apis`, { headers: { accept: form("v2", mediaType) } });
    assert.equal(answer.headers.get("content-type"), form("v2", mediaType));
    const decoded = read(Buffer.from(await answer.arrayBuffer()));
    assert.ok("value" in decoded && typeof decoded.value === "object" && decoded.value !== null);
    const groups = valueAt(decoded.value, "items");
    assert.ok(Array.isArray(groups));
    const versions = aggregated("/apis").map((group) => ({ name: group.metadata.name, versions: group.versions }));
    assert.deepEqual(
      groups.map((group) => ({ name: valueAt(group, "metadata.name"), versions: valueAt(group, "versions") })),
      versions,
    );
  });
}
