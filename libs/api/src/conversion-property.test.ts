import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { isObject, type JsonObject } from "@orch/schema/descriptor.js";
import { equal } from "@orch/schema/equal.js";
import fc from "fast-check";
import { apiVersionOf, type Kind, loadCatalog } from "./catalog.js";
import { readDataFile } from "./data-file.js";
import { type AnyObject, withMetadata } from "./object.js";
import { arbitraryObject } from "./testing/arbitrary.js";
import { createKindKit } from "./testing/kind-kit.js";
import { changeAt, type Narrowing } from "./testing/narrowings.js";
import { decodeObject, fromHub } from "./writes.js";

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
  // A generation that was observed is 1 or more: the hub does not tell 0 from none.
  [
    "apps/v1beta1.StatefulSet",
    changeAt("status", ({ observedGeneration, ...rest }) =>
      observedGeneration === 0 || observedGeneration === undefined ? rest : { ...rest, observedGeneration },
    ),
  ],
  ["flowcontrol.apiserver.orch/v1beta3.PriorityLevelConfiguration", withZeroSharesMeant],
  ["rbac.authorization.orch/v1alpha1.ClusterRoleBinding", withKnownSubjects],
  ["rbac.authorization.orch/v1alpha1.RoleBinding", withKnownSubjects],
  // A conversion's webhook says where it is and what it speaks.
  ["apiextensions.orch/v1.CustomResourceDefinition", withoutHollow("spec", "conversion", "webhook")],
]);

/** The same for the stored version's objects that go to a version and back. */
const hubNarrowings: ReadonlyMap<string, Narrowing> = new Map([
  ["autoscaling/v1.HorizontalPodAutoscaler", withOldTargets],
  ["autoscaling/v2beta1.HorizontalPodAutoscaler", withOldTargets],
  ["extensions/v1beta1.Ingress", withWholeBackends],
  ["networking.orch/v1beta1.Ingress", withWholeBackends],
  [
    "flowcontrol.apiserver.orch/v1beta3.PriorityLevelConfiguration",
    // What the stored version's defaults see to.
    changeAt("spec.limited", (limited) => ({ nominalConcurrencyShares: 30, ...limited })),
  ],
  ["rbac.authorization.orch/v1alpha1.ClusterRoleBinding", withStoredSubjects],
  ["rbac.authorization.orch/v1alpha1.RoleBinding", withStoredSubjects],
  ["resource.orch/v1alpha3.ResourceSlice", changeAt("spec.devices[].basic.capacity", withAmounts)],
  // The stored version says of all versions or of each what the other says of each: here as the other leaves it.
  ["apiextensions.orch/v1.CustomResourceDefinition", saidBy("apiextensions.orch/v1.CustomResourceDefinition")],
]);

const kinds = otherThanHubs();

test("the catalog has versions to convert, and the tables name nothing else", () => {
  assert.ok(kinds.size > 50);
  for (const name of [...narrowings.keys(), ...hubNarrowings.keys()]) assert.ok(kinds.has(name), name);
});

for (const [name, kind] of kinds) {
  test(`${name} goes to its hub and back`, () => fc.assert(survives(name, kind), { numRuns: 100 }));
  test(`the hub of ${name} goes through it and back`, () => fc.assert(hubSurvives(name, kind), { numRuns: 100 }));
}

function survives(name: string, kind: Kind): fc.IProperty<[JsonObject]> {
  return fc.property(arbitraryObject(kind.type).map(narrowings.get(name) ?? asIs), (tree) => {
    const sent = named(kind, tree);
    assertSame(kind, kit.roundTrip(name, tree).back, sent);
  });
}

function hubSurvives(name: string, kind: Kind): fc.IProperty<[JsonObject]> {
  const { hub } = kind;
  return fc.property(arbitraryObject(hub.type).map(hubNarrowings.get(name) ?? asIs), (tree) => {
    const sent = named(hub, tree);
    assertSame(hub, through(kind, sent), sent);
  });
}

/** A hub's object after it was one of another version. */
function through(kind: Kind, object: AnyObject): AnyObject {
  const { hub, conversion } = kind;
  const { object: own } = decodeObject(kind, fromHub(kind, object));
  const converted = conversion === undefined ? own : conversion.toHub(own);
  return decodeObject(hub, { ...converted, kind: hub.kind, apiVersion: hub.apiVersion }).object;
}

function saidBy(name: string): Narrowing {
  return (object) => {
    const kind = kit.kind(name);
    const { metadata: _named, ...rest } = through(kind, named(kind.hub, object));
    return { ...rest, ...(object["metadata"] === undefined ? {} : { metadata: object["metadata"] }) };
  };
}

function asIs(object: JsonObject): JsonObject {
  return object;
}

/** As the kit names a tree. */
function named({ kind, apiVersion, namespaced }: Kind, tree: JsonObject): AnyObject {
  const { metadata } = withMetadata(tree);
  return { ...tree, kind, apiVersion, metadata: { name: "x", ...(namespaced ? { namespace: "n" } : {}), ...metadata } };
}

function assertSame(kind: Kind, back: AnyObject, sent: AnyObject): void {
  if (equal(kind.type, sent, back)) return;
  assert.deepEqual(back, sent, "not the same in meaning");
  assert.fail("the same text, not the same in meaning");
}

/** Backends name a service with its port, one way. */
function withWholeBackends(object: JsonObject): JsonObject {
  const service = (given: JsonObject): JsonObject => {
    const { name: portName, number } = isObject(given["port"]) ? given["port"] : {};
    const port = portName === undefined ? { number: number ?? 80 } : { name: portName };
    return { name: given["name"] === undefined || given["name"] === "" ? "s" : given["name"], port };
  };
  const paths = changeAt("spec.rules[].http.paths[].backend.service", service);
  return paths(changeAt("spec.defaultBackend.service", service)(object));
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

/** Targets as old versions know them: of the kinds that a source has, their type told by what is set. */
function withOldTargets(object: JsonObject): JsonObject {
  const told: Record<string, (target: JsonObject) => string> = {
    object: ({ averageValue }) => (averageValue === undefined ? "Value" : "AverageValue"),
    pods: () => "AverageValue",
    external: ({ value }) => (value === undefined ? "AverageValue" : "Value"),
    resource: ({ averageUtilization }) => (averageUtilization === undefined ? "AverageValue" : "Utilization"),
    containerResource: ({ averageUtilization }) => (averageUtilization === undefined ? "AverageValue" : "Utilization"),
  };
  const known = (source: string): readonly string[] => {
    if (source === "pods") return ["averageValue"];
    return source === "object" || source === "external"
      ? ["value", "averageValue"]
      : ["averageValue", "averageUtilization"];
  };
  const only = (source: string, amounts: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(amounts).filter(([name]) => known(source).includes(name)));
  const steps = Object.entries(told).flatMap(([source, typeOf]): Narrowing[] => [
    changeAt(`spec.metrics[].${source}`, (metric) => {
      const target = only(source, isObject(metric["target"]) ? metric["target"] : {});
      return { ...metric, target: { ...target, type: typeOf(target) } };
    }),
    changeAt(`status.currentMetrics[].${source}.current`, (current) => only(source, current)),
  ]);
  // What the stored version's defaults fill.
  const behavior = changeAt("spec", ({ behavior: given, ...spec }) =>
    isObject(given) && Object.keys(given).length > 0 ? { ...spec, behavior: given } : spec,
  );
  return [...steps, behavior].reduce((narrowed, step) => step(narrowed), object);
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

/** Subjects of the groups that their kinds are of. */
function withStoredSubjects(object: JsonObject): JsonObject {
  const { subjects } = object;
  if (!Array.isArray(subjects)) return object;
  const known = subjects.map(({ apiGroup: _any, ...subject }: JsonObject, i) =>
    i % 2 === 0
      ? { ...subject, kind: "ServiceAccount" }
      : { ...subject, kind: "Group", apiGroup: "rbac.authorization.orch" },
  );
  return { ...object, subjects: known };
}

/** An amount is required. */
function withAmounts(capacity: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(capacity).map(([name, amount]) => [name, withAmount(amount)]));
}

function withAmount(amount: unknown): unknown {
  return isObject(amount) ? { value: "1", ...amount } : amount;
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
