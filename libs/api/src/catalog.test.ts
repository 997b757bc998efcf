import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { isObject, type MessageType, type Type } from "@orch/schema/descriptor.js";
import { buildCatalog, loadCatalog } from "./catalog.js";
import { readDataFile } from "./data-file.js";
import { createTypes } from "./types.js";

const orch = loadCatalog(createNaming("orch"));
const kubernetes = loadCatalog(createNaming("kubernetes"));

test("the catalog has the groups of the release, in both dialects", () => {
  const versions = Object.fromEntries(orch.groups().map((g) => [g.name, g.versions.join(" ")]));
  assert.deepEqual(versions, {
    "": "v1",
    "admissionregistration.orch": "v1",
    "apiextensions.orch": "v1",
    "apiregistration.orch": "v1",
    apps: "v1",
    "authentication.orch": "v1",
    "authorization.orch": "v1",
    autoscaling: "v2 v1",
    batch: "v1",
    "certificates.orch": "v1",
    "coordination.orch": "v1",
    "discovery.orch": "v1",
    "events.orch": "v1",
    "flowcontrol.apiserver.orch": "v1",
    "networking.orch": "v1",
    "node.orch": "v1",
    policy: "v1",
    "rbac.authorization.orch": "v1",
    "scheduling.orch": "v1",
    "storage.orch": "v1",
  });
  assert.equal(kubernetes.resource("discovery.k8s.io", "v1", "endpointslices")?.apiVersion, "discovery.k8s.io/v1");
  assert.equal(kubernetes.resource("discovery.orch", "v1", "endpointslices"), undefined);
  assert.equal(orch.kind("v1", "Pod")?.plural, "pods");
});

test("every version of a kind is stored as its hub", () => {
  const hubOf = (apiVersion: string, kind: string) => orch.kind(apiVersion, kind)?.hub;
  assert.equal(hubOf("extensions/v1beta1", "Ingress")?.apiVersion, "networking.orch/v1");
  assert.equal(hubOf("extensions/v1beta1", "Ingress")?.storage.prefix, "ingress");
  assert.equal(hubOf("events.orch/v1", "Event")?.apiVersion, "v1");
  assert.equal(hubOf("v1", "Pod"), orch.kind("v1", "Pod"));
  assert.equal(orch.kind("extensions/v1beta1", "Deployment")?.table, orch.kind("apps/v1", "Deployment")?.table);
  assert.equal(orch.kind("extensions/v1beta1", "Deployment")?.strategy.gcDefault, "orphan");
  assert.equal(orch.kind("apps/v1", "Deployment")?.strategy.gcDefault, "background");
});

test("the storage version hash is the one that clients of the reference know", () => {
  assert.equal(kubernetes.resource("", "v1", "pods")?.storageVersionHash, "xPOwRZ+Yhw8=");
});

for (const [key, plural, namespace, name] of [
  ["services/specs/ns/a", "services", "ns", "a"],
  ["configmaps/ns/a", "configmaps", "ns", "a"],
  ["minions/n1", "nodes", "", "n1"],
] as const) {
  test(`the key ${key} is taken apart`, () => {
    const stored = orch.byStorageKey(key);
    assert.deepEqual([stored?.kind.plural, stored?.namespace, stored?.name], [plural, namespace, name]);
  });
}

for (const key of [
  "",
  "services",
  "nothing/ns/a",
  "configmaps/a",
  "minions/a/b",
  "configmaps/ns/a/b",
  "configmaps//a",
]) {
  test(`the key ${JSON.stringify(key)} is nobody's`, () => assert.equal(orch.byStorageKey(key), undefined));
}

test("every type of every data file compiles, and its fields have distinct names and numbers", () => {
  const folder = new URL("../data/", import.meta.url);
  const files = readdirSync(folder).map((f) => {
    const json: unknown = JSON.parse(readFileSync(new URL(f, folder), "utf8"));
    return readDataFile(f.slice(0, -".json".length), json);
  });
  const types = createTypes(files, createNaming("kubernetes"));
  const seen = new Set<Type>();
  for (const file of files) {
    for (const [name, entry] of file.types) {
      if (!isObject(entry) || entry["fields"] === undefined) continue;
      const type = types.message(`${file.name.replace(".v", "/v")}.${name}`);
      assert.ok(type, name);
      checkMessage(type, seen);
    }
  }
  assert.ok(seen.size > 250);
});

function checkMessage(type: MessageType, seen: Set<Type>): void {
  if (seen.has(type)) return;
  seen.add(type);
  const numbers = type.fields.flatMap((f) => (f.number === undefined ? [] : [f.number]));
  assert.equal(new Set(numbers).size, numbers.length, `${type.name} numbers`);
  const names = type.fields.filter((f) => !f.inline).map((f) => f.name);
  assert.equal(new Set(names).size, names.length, `${type.name} names`);
  for (const f of type.fields) {
    if (type.protobuf && f.name !== "kind" && f.name !== "apiVersion") assert.ok(f.number, `${type.name}.${f.name}`);
    if (f.type.kind === "message") checkMessage(f.type, seen);
  }
}

test("a kind's type says what merges and how", () => {
  const pod = orch.type("core/v1.PodSpec");
  const volumes = pod?.byName.get("volumes");
  assert.deepEqual(volumes?.strategy, ["merge", "retainKeys"]);
  assert.equal(volumes?.mergeKey, "name");
  assert.ok(volumes?.type.kind === "list" && volumes.type.listType === "map");
  const volume = orch.type("core/v1.Volume");
  assert.ok(volume?.byName.has("emptyDir"), "fields of inline messages stand in their parent");
  assert.deepEqual(pod?.byName.get("restartPolicy")?.values, ["Always", "OnFailure", "Never"]);
});

for (const [what, file, message] of [
  [
    "a missing word",
    { group: "g.orch", version: "v1", kinds: [{ kind: "A" }], types: {} },
    /kinds\[0\] \(A\)\.plural: is missing/,
  ],
  ["an unknown word", { group: "g.orch", version: "v1", kindz: [] }, /bad\.v1\.kindz: unknown key/],
  [
    "a wrong verb",
    { group: "", version: "v1", kinds: [{ kind: "A", plural: "as", verbs: ["read"] }] },
    /verbs: expected "all" or some of/,
  ],
] as const) {
  test(`a data file with ${what} is refused with its place`, () => {
    assert.throws(() => readDataFile("bad.v1", file), message);
  });
}

test("what is served follows the release", () => {
  const entry = (version: string, introduced: string, removed?: string) =>
    readDataFile(`g.${version}`, {
      group: "g.orch",
      version,
      kinds: [{ kind: "A", plural: "as", verbs: "all", release: { introduced, removed }, storage: { version: "v1" } }],
      types: { A: { object: true, fields: [] } },
    });
  const files = [entry("v1alpha1", "1.10"), entry("v1beta1", "1.16", "1.22"), entry("v1", "1.19")];
  const versionsAt = (release: string) => buildCatalog(files, createNaming("orch"), { release }).groups()[0]?.versions;
  assert.deepEqual(versionsAt("1.16"), ["v1beta1"]);
  assert.deepEqual(versionsAt("1.19"), ["v1", "v1beta1"]);
  assert.deepEqual(versionsAt("1.32"), ["v1"]);
});
