import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import type { JsonObject } from "@orch/schema/descriptor.js";
import { equal } from "@orch/schema/equal.js";
import fc from "fast-check";
import { apiVersionOf, type Kind, loadCatalog } from "./catalog.js";
import { readDataFile } from "./data-file.js";
import { withMetadata } from "./object.js";
import { arbitraryObject } from "./testing/arbitrary.js";
import { createKindKit } from "./testing/kind-kit.js";

// Spec 1, Deprecation rules, 2: objects go to the stored version and back without loss.

const naming = createNaming("orch");
const catalog = loadCatalog(naming);
const kit = createKindKit(catalog);

/** Where a version's valid objects are fewer than its types allow: what is made of a random object. */
const narrowings: ReadonlyMap<string, (object: JsonObject) => JsonObject> = new Map([
  ["rbac.authorization.orch/v1alpha1.ClusterRoleBinding", withKnownSubjects],
  ["rbac.authorization.orch/v1alpha1.RoleBinding", withKnownSubjects],
]);

/** Versions whose conversion is still to be written. One that passes must leave this list. */
const pending: ReadonlySet<string> = new Set([
  "apiextensions.orch/v1.CustomResourceDefinition",
  "apps/v1beta1.StatefulSet",
  "discovery.orch/v1beta1.EndpointSlice",
  "events.orch/v1.Event",
  "events.orch/v1beta1.Event",
  "flowcontrol.apiserver.orch/v1alpha1.PriorityLevelConfiguration",
  "flowcontrol.apiserver.orch/v1beta1.PriorityLevelConfiguration",
  "flowcontrol.apiserver.orch/v1beta2.PriorityLevelConfiguration",
  "resource.orch/v1alpha3.ResourceSlice",
]);

const kinds = otherThanHubs();

test("the catalog has versions to convert, and the tables name nothing else", () => {
  assert.ok(kinds.size > 50);
  for (const name of [...pending, ...narrowings.keys()]) assert.ok(kinds.has(name), name);
});

for (const [name, kind] of kinds) {
  if (pending.has(name)) {
    test(`${name} cannot go to its hub and back yet`, () => {
      assert.equal(fc.check(survives(name, kind), { numRuns: 2000 }).failed, true, "it can: take it from the list");
    });
  } else {
    test(`${name} goes to its hub and back`, () => fc.assert(survives(name, kind), { numRuns: 200 }));
  }
}

function survives(name: string, kind: Kind) {
  const narrowed = narrowings.get(name) ?? ((object) => object);
  return fc.property(arbitraryObject(kind.type).map(narrowed), (tree) => {
    const { back } = kit.roundTrip(name, tree);
    const { metadata } = withMetadata(tree);
    const sent = { ...tree, metadata: { name: "x", ...(kind.namespaced ? { namespace: "n" } : {}), ...metadata } };
    if (equal(kind.type, { ...sent, kind: kind.kind, apiVersion: kind.apiVersion }, back)) return;
    assert.deepEqual(back, sent, "not the same in meaning");
    assert.fail("the same text, not the same in meaning");
  });
}

/** Subjects of the three kinds that there are, which tell the version. */
function withKnownSubjects(object: JsonObject): JsonObject {
  const { subjects } = object;
  if (!Array.isArray(subjects)) return object;
  const version = "rbac.authorization.orch/v1alpha1";
  const known = subjects.map((subject: JsonObject, i) => {
    const kind = subject["kind"] === undefined || i % 2 === 0 ? "ServiceAccount" : "Group";
    return { ...subject, kind, apiVersion: kind === "Group" ? version : "v1" };
  });
  return { ...object, subjects: known };
}

function otherThanHubs(): ReadonlyMap<string, Kind> {
  const folder = new URL("../data/", import.meta.url);
  const all = readdirSync(folder).flatMap((file) => {
    const data = readDataFile(file.slice(0, -".json".length), JSON.parse(readFileSync(new URL(file, folder), "utf8")));
    const apiVersion = apiVersionOf(naming.word(data.group), data.version);
    return data.kinds.map((entry) => `${apiVersion}.${entry.kind}`);
  });
  return new Map(all.map((name) => [name, kit.kind(name)] as const).filter(([, kind]) => kind.hub !== kind));
}
