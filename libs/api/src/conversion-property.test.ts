import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { equal } from "@orch/schema/equal.js";
import fc from "fast-check";
import { apiVersionOf, type Kind, loadCatalog } from "./catalog.js";
import { readDataFile } from "./data-file.js";
import { withMetadata } from "./object.js";
import { arbitraryObject } from "./testing/arbitrary.js";
import { createKindKit } from "./testing/kind-kit.js";
import { changeAt, type Narrowing } from "./testing/narrowings.js";

// Spec 1, Deprecation rules, 2: objects go to the stored version and back without loss.

const naming = createNaming("orch");
const catalog = loadCatalog(naming);
const kit = createKindKit(catalog);

/** Where a version's valid objects are fewer than its types allow: what is made of a random object. */
const narrowings: ReadonlyMap<string, Narrowing> = new Map([
  // An endpoint's node stands in its topology too.
  [
    "discovery.orch/v1beta1.EndpointSlice",
    changeAt("endpoints[]", (endpoint) => {
      const { nodeName, topology } = endpoint;
      if (nodeName === undefined) return endpoint;
      return { ...endpoint, topology: { ...(isObject(topology) ? topology : {}), [naming.key("hostname")]: nodeName } };
    }),
  ],
  ["flowcontrol.apiserver.orch/v1beta3.PriorityLevelConfiguration", withZeroSharesMeant],
  ["rbac.authorization.orch/v1alpha1.ClusterRoleBinding", withKnownSubjects],
  ["rbac.authorization.orch/v1alpha1.RoleBinding", withKnownSubjects],
  // A conversion's webhook says where it is and what it speaks.
  ["apiextensions.orch/v1.CustomResourceDefinition", withoutHollow("spec", "conversion", "webhook")],
]);

/** Versions whose conversion is still to be written. One that passes must leave this list. */
const pending: ReadonlySet<string> = new Set(["apps/v1beta1.StatefulSet"]);

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

/** The object without the value at a path where that holds nothing, or nothing but empty lists. */
function withoutHollow(...path: readonly string[]): (object: JsonObject) => JsonObject {
  const [name = "", ...deeper] = path;
  return (object) => {
    const { [name]: value, ...rest } = object;
    if (!isObject(value)) return object;
    if (deeper.length > 0) return { ...object, [name]: withoutHollow(...deeper)(value) };
    return Object.values(value).every((v) => Array.isArray(v) && v.length === 0) ? rest : object;
  };
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

/** 0 shares that are left after the version's defaults have their annotation, other objects have it not. */
function withZeroSharesMeant(object: JsonObject): JsonObject {
  const key = "flowcontrol.orch/v1beta3-preserve-zero-concurrency-shares";
  const limited = isObject(object["spec"]) ? object["spec"]["limited"] : undefined;
  if (!isObject(limited) || (limited["nominalConcurrencyShares"] ?? 0) !== 0) return object;
  const { metadata } = withMetadata(object);
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, [key]: "" } } };
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
