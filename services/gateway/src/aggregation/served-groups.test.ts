import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCatalog } from "@orch/api/catalog.js";
import { createNaming } from "@orch/naming/naming.js";
import { discoveryDocument } from "../documents/discovery.js";
import { aggregatedDocument } from "../documents/discovery-aggregated.js";
import { servedParts } from "../service.js";
import { createApiServices } from "./api-services.js";
import type { KnownResources } from "./remote-documents.js";
import { createServedGroups } from "./served-groups.js";

const catalog = loadCatalog(createNaming("kubernetes"));
const served = servedParts({ podResize: false, storageVersionHash: false });

/** `a v2 100 10`: group, version, priorities; those of `remote` have a server. */
function setup(lines: readonly string[], remote: readonly string[] = []) {
  const services = createApiServices();
  services.follower.replaced(
    lines.map((line) => {
      const [short = "", version = "", group = "", own = ""] = line.split(" ");
      const name = `${version}.${short}.example.com`;
      const service = remote.includes(short) ? { service: { namespace: "n", name: "s" } } : {};
      const priorities = { groupPriorityMinimum: Number(group), versionPriority: Number(own) };
      return {
        metadata: { name, uid: name, resourceVersion: "1" },
        spec: { group: `${short}.example.com`, version, ...priorities, ...service },
      };
    }),
    1,
  );
  const groupsWith = createServedGroups(services);
  return { services, groupsWith, groups: () => groupsWith(catalog).groups };
}

const ordered = ["b v1 100 10", "a v1 100 10", "c v1 2000 10", "a v2 100 10", "a v1beta1 100 20", "a v3 50 5"];

test("groups and versions stand in the order of their priorities, then of their names and versions", () => {
  const { groups } = setup(ordered);
  const own = catalog.groups().length;
  assert.deepEqual(
    groups()
      .slice(own)
      .map(({ name, versions }) => [name.slice(0, 1), ...versions]),
    [
      ["c", "v1"],
      ["a", "v1beta1", "v2", "v1", "v3"],
      ["b", "v1"],
    ],
  );
  assert.deepEqual(
    groups()
      .slice(0, own)
      .map(({ name }) => name),
    catalog.groups().map(({ name }) => name),
  );
});

test("a group of higher priority comes before built-in ones, and none before the one that all are found by", () => {
  const { groups } = setup(["a v1 20000 10"]);
  assert.deepEqual(
    groups()
      .slice(0, 3)
      .map(({ name }) => name),
    ["", "apiregistration.k8s.io", "a.example.com"],
  );
});

test("without APIServices of others the groups are the catalog's own", () => {
  assert.equal(setup([]).groups(), catalog.groups());
});

test("the groups are the same value until something changes", () => {
  const { services, groupsWith } = setup(ordered);
  const before = groupsWith(catalog);
  assert.equal(groupsWith(catalog), before);
  services.follower.deleted({ metadata: { name: "v1.b.example.com" } });
  assert.notEqual(groupsWith(catalog), before);
  assert.equal(groupsWith(catalog).foreign("b.example.com", "v1"), undefined);
});

test("an APIService of what is served here changes nothing, until it says something else than the catalog", () => {
  const { services, groupsWith } = setup([]);
  const before = groupsWith(catalog);
  const apps = (versionPriority: number) => ({
    metadata: { name: "v1.apps", uid: "u", resourceVersion: String(versionPriority) },
    spec: { group: "apps", version: "v1", groupPriorityMinimum: 17_800, versionPriority },
  });
  services.follower.changed(apps(15));
  assert.equal(groupsWith(catalog), before);
  services.follower.changed(apps(16));
  assert.notEqual(groupsWith(catalog), before);
});

test("a group of others is in every form of discovery, with what its server has said of it", () => {
  const { groupsWith } = setup(["a v1 100 10", "b v1 100 10"], ["a"]);
  const groups = groupsWith(catalog);
  const list = discoveryDocument(groups, { type: "discovery", path: "/apis" }, { served, address: "" });
  assert.match(JSON.stringify(list), /"a\.example\.com\/v1"/);
  const group = discoveryDocument(
    groups,
    { type: "discovery", path: "", group: "b.example.com" },
    { served, address: "" },
  );
  const version = { groupVersion: "b.example.com/v1", version: "v1" };
  assert.deepEqual(group, {
    kind: "APIGroup",
    apiVersion: "v1",
    name: "b.example.com",
    versions: [version],
    preferredVersion: version,
  });
  const itemsWith = (known: KnownResources): readonly object[] => {
    const apis = { resources: () => known };
    const document = aggregatedDocument(
      { groups, served, apis, naming: catalog.naming },
      { path: "/apis", version: "v2" },
    );
    assert.ok("items" in document && Array.isArray(document.items));
    return document.items.slice(catalog.groups().length - 1);
  };
  const metadata = { name: "a.example.com", creationTimestamp: null };
  const resources = [{ resource: "things" }];
  assert.deepEqual(itemsWith({ resources, isStale: false }), [
    { metadata, versions: [{ version: "v1", resources, freshness: "Current" }] },
  ]);
  assert.deepEqual(itemsWith({ resources, isStale: true }), [
    { metadata, versions: [{ version: "v1", resources, freshness: "Stale" }] },
  ]);
  assert.deepEqual(itemsWith({ resources: undefined, isStale: true }), [
    { metadata, versions: [{ version: "v1", freshness: "Stale" }] },
  ]);
});
