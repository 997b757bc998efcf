import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import { isRecord } from "@orch/client/objects.js";
import { createNaming } from "@orch/naming/naming.js";
import { type Answer, connect, type Http, valueAt } from "./harness/http.js";
import { type StandaloneTarget, startStandalone } from "./harness/target.js";
import { mediaTypesOf, read } from "./harness/wire.js";

const naming = createNaming("kubernetes");
const mediaTypes = mediaTypesOf(naming);
const listKind = "APIGroupDiscoveryList";
const parameters = (version: string): string => `g=${naming.group("apidiscovery")};v=${version};as=${listKind}`;
/** What the reference's own client asks for. */
const modern = ["v2", "v2beta1"].map((version) => `application/json;${parameters(version)}`).join(",");

interface Resource {
  /** `apps/v1`. */
  readonly groupVersion: string;
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

const pathOfVersion = (groupVersion: string): string =>
  groupVersion.includes("/") ? `/apis/${groupVersion}` : `/api/${groupVersion}`;

describe("discovery of a server as it starts by default", () => {
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

  const get = (path: string, headers: Readonly<Record<string, string>>): Promise<Answer> =>
    http.call({ path, headers });

  test("one document tells each root, and is not sent again to who has it", async () => {
    for (const path of ["/api", "/apis"]) {
      const answer = await get(path, { accept: `${modern},application/json` });
      assert.equal(answer.headers["content-type"], `application/json;${parameters("v2")}`);
      assert.equal(answer.headers["vary"], "Accept, Accept-Encoding");
      assert.deepEqual([answer.at("kind"), answer.at("apiVersion")], [listKind, `${naming.group("apidiscovery")}/v2`]);
      const etag = String(answer.headers["etag"]);
      assert.match(etag, /^"[0-9A-F]{128}"$/);
      const same = await get(path, { accept: modern, "if-none-match": etag });
      assert.deepEqual([same.status, same.bytes.length, same.headers["etag"]], [304, 0, etag]);
      const other = await get(path, { accept: modern, "if-none-match": '"0"' });
      assert.equal(other.text, answer.text);
      const older = await get(path, { accept: `application/json;${parameters("v2beta1")}` });
      assert.equal(older.headers["content-type"], `application/json;${parameters("v2beta1")}`);
      assert.notEqual(older.headers["etag"], etag);
      const plain = await get(path, { accept: "application/json" });
      assert.equal(plain.headers["content-type"], "application/json");
      assert.equal(plain.headers["vary"], "Accept");
      assert.equal(plain.at("kind"), path === "/api" ? "APIVersions" : "APIGroupList");
    }
  });

  test("it is told in every encoding", async () => {
    const type = loadCatalog(naming).type(`apidiscovery/v2.${listKind}`);
    assert.ok(type !== undefined);
    const json = await get("/apis", { accept: modern });
    for (const encoding of ["yaml", "protobuf"] as const) {
      const answer = await get("/apis", { accept: `${mediaTypes[encoding]};${parameters("v2")}` });
      assert.equal(answer.headers["content-type"], `${mediaTypes[encoding]};${parameters("v2")}`);
      const names = (groups: unknown): unknown =>
        Array.isArray(groups) ? groups.map((group) => valueAt(group, "metadata.name")) : groups;
      assert.deepEqual(names(read(encoding, type, answer.bytes)["items"]), names(json.at("items")));
      const resources = await get("/apis/apps/v1", { accept: mediaTypes[encoding] });
      assert.equal(resources.headers["content-type"], mediaTypes[encoding]);
    }
    assert.equal((await get("/apis", { accept: `application/json;g=other;v=v2;as=${listKind}` })).status, 406);
  });

  test("both forms promise the same, and what they promise is there", async () => {
    const resources = [...(await resourcesOf(http, "/api")), ...(await resourcesOf(http, "/apis"))];
    assert.ok(resources.length > 50, String(resources.length));
    const plain = new Map<string, readonly unknown[]>();
    for (const groupVersion of new Set(resources.map((r) => r.groupVersion))) {
      plain.set(groupVersion, listAt(await http.get(pathOfVersion(groupVersion)), "resources"));
    }
    for (const { groupVersion, name, kind, namespaced, verbs } of resources) {
      const found = plain.get(groupVersion)?.find((r) => valueAt(r, "name") === name);
      const expected = { name, kind, namespaced, verbs };
      assert.ok(isRecord(found), `${groupVersion} ${name}`);
      assert.deepEqual({ name, kind: found["kind"], namespaced: found["namespaced"], verbs: found["verbs"] }, expected);
      if (!verbs.includes("list")) continue;
      const list = await http.get(`${pathOfVersion(groupVersion)}/${name}`);
      assert.deepEqual([list.status, list.at("kind"), list.at("apiVersion")], [200, `${kind}List`, groupVersion]);
    }
  });

  test("the same server told again after a restart gives the same tag", async () => {
    const { headers } = await get("/apis", { accept: modern });
    await target.process.stop();
    await target.process.restart();
    const again = await get("/apis", { accept: modern, "if-none-match": String(headers["etag"]) });
    assert.equal(again.status, 304);
  });
});

test("what is switched off by --runtime-config or is not yet there is neither discovered nor served", async () => {
  const config = "batch/v1/cronjobs=false,policy/v1=false,scheduling.k8s.io/v1=false,api/beta=true,api/alpha=false";
  const args = ["--secure-port=0", "--emulated-version=1.30", `--runtime-config=${config}`];
  const target = await startStandalone({ dialect: "kubernetes", args });
  const http = connect(target);
  try {
    const resources = await resourcesOf(http, "/apis");
    const has = (groupVersion: string, name: string): boolean =>
      resources.some((r) => r.groupVersion === groupVersion && r.name === name);
    const rows: readonly (readonly [groupVersion: string, name: string, served: boolean])[] = [
      ["batch/v1", "jobs", true],
      ["batch/v1", "cronjobs", false],
      ["policy/v1", "poddisruptionbudgets", false],
      ["scheduling.k8s.io/v1", "priorityclasses", false],
      ["flowcontrol.apiserver.k8s.io/v1beta3", "flowschemas", true],
      ["networking.k8s.io/v1beta1", "ipaddresses", false],
      ["networking.k8s.io/v1alpha1", "ipaddresses", false],
    ];
    for (const [groupVersion, name, served] of rows) {
      assert.equal(has(groupVersion, name), served, `${groupVersion} ${name}`);
      const { status } = await http.get(`${pathOfVersion(groupVersion)}/${name}`);
      assert.equal(status, served ? 200 : 404, `${groupVersion} ${name}`);
    }
    assert.equal((await http.get("/apis/policy")).status, 404);
    const sections = (await http.get("/openapi/v3")).at("paths");
    assert.ok(isRecord(sections));
    assert.ok("apis/batch/v1" in sections && !("apis/policy/v1" in sections));
  } finally {
    http.close();
    await target.stop();
  }
});

async function resourcesOf(http: Http, path: string): Promise<readonly Resource[]> {
  const answer = await http.call({ path, headers: { accept: modern } });
  return listAt(answer, "items").flatMap((group) => {
    const name = valueAt(group, "metadata.name");
    const versions = valueAt(group, "versions");
    assert.ok(Array.isArray(versions));
    return versions.flatMap((version: unknown) => {
      const text = String(valueAt(version, "version"));
      // A version may have nothing that is answered yet.
      const listed = valueAt(version, "resources") ?? [];
      assert.ok(Array.isArray(listed));
      return listed.map((r: unknown) => resourceOf(name === undefined ? text : `${name}/${text}`, r));
    });
  });
}

function resourceOf(groupVersion: string, resource: unknown): Resource {
  const verbs = valueAt(resource, "verbs");
  assert.ok(Array.isArray(verbs));
  return {
    groupVersion,
    name: String(valueAt(resource, "resource")),
    kind: String(valueAt(resource, "responseKind.kind")),
    namespaced: valueAt(resource, "scope") === "Namespaced",
    verbs: verbs.map(String),
  };
}

function listAt(answer: Answer, path: string): readonly unknown[] {
  const list = answer.at(path);
  assert.ok(Array.isArray(list), answer.text.slice(0, 500));
  return list;
}
