import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaming } from "@orch/naming/naming.js";
import { loadCatalog } from "./catalog.js";
import { scaleOf, unsetSize, validateScale, withScale, withSize } from "./scale.js";
import { createKindKit, type Tree } from "./testing/kind-kit.js";
import { decodeObject } from "./writes.js";

const kit = createKindKit(loadCatalog(createNaming("kubernetes"), { release: "1.15" }));
const metadata = {
  name: "x",
  namespace: "n",
  uid: "u",
  resourceVersion: "5",
  creationTimestamp: "2026-01-01T00:00:00Z",
  labels: { a: "b" },
};
const labels = { tier: "web", app: "x" };
const selector = { matchLabels: labels };
const mixed = { ...selector, matchExpressions: [{ key: "z", operator: "In", values: ["2", "1"] }] };
const { labels: _labels, ...identity } = metadata;

const scales: readonly (readonly [string, Tree, string, Tree])[] = [
  ["apps/v1.Deployment", { selector }, "autoscaling/v1", { replicas: 2, selector: "app=x,tier=web" }],
  [
    "apps/v1.StatefulSet",
    { selector: mixed },
    "autoscaling/v1",
    { replicas: 2, selector: "app=x,tier=web,z in (1,2)" },
  ],
  [
    "apps/v1.ReplicaSet",
    { selector },
    "extensions/v1beta1",
    { replicas: 2, selector: labels, targetSelector: "app=x,tier=web" },
  ],
  [
    "apps/v1.Deployment",
    { selector: mixed },
    "apps/v1beta1",
    { replicas: 2, targetSelector: "app=x,tier=web,z in (1,2)" },
  ],
  ["apps/v1.Deployment", {}, "apps/v1beta2", { replicas: 2 }],
  ["ReplicationController", { selector: labels }, "autoscaling/v1", { replicas: 2, selector: "app=x,tier=web" }],
  [
    "ReplicationController",
    { selector: labels },
    "extensions/v1beta1",
    { replicas: 2, selector: labels, targetSelector: "app=x,tier=web" },
  ],
];

for (const [name, spec, version, status] of scales) {
  test(`the Scale of a ${name} in ${version}, ${JSON.stringify(spec)}`, () => {
    const kind = kit.kind(name);
    const { object } = decodeObject(kind, { metadata, spec: { ...spec, replicas: 3 }, status: { replicas: 2 } });
    const scale = scaleOf(kind, object, version);
    assert.deepEqual(scale, {
      kind: "Scale",
      apiVersion: version,
      metadata: identity,
      spec: { replicas: 3 },
      status,
    });
    assert.deepEqual(decodeObject(kit.kind(`${version}.Scale`), scale), { object: scale, unknown: [] });
  });
}

test("the Scale of what has no replicas", () => {
  const kind = kit.kind("apps/v1.Deployment");
  const scale = scaleOf(kind, { metadata: {}, spec: { replicas: 0 } }, "autoscaling/v1");
  assert.deepEqual(scale["spec"], {});
  assert.deepEqual(scale["status"], { replicas: 0 });
});

test("a Scale sets the size, over the state that was read", () => {
  const object = { metadata, spec: { replicas: 3, selector } };
  const sized = (scale: Tree) => withScale(kit.kind("apps/v1.Deployment"), object, { metadata: {}, ...scale });
  assert.deepEqual(sized({ spec: { replicas: 7 } })["spec"], { replicas: 7, selector });
  assert.deepEqual(sized({ spec: {} })["spec"], { replicas: 0, selector });
  // One that names no version is meant for the object as it is.
  assert.equal(sized({}).metadata.resourceVersion, metadata.resourceVersion);
  const { labels: kept, resourceVersion } = sized({ metadata: { resourceVersion: "4" } }).metadata;
  assert.deepEqual({ kept, resourceVersion }, { kept: { a: "b" }, resourceVersion: "4" });
});

test("a Scale has a name, and not less than no replicas", () => {
  const kind = kit.kind("apps/v1.StatefulSet");
  const errors = (scale: Tree) =>
    validateScale(kind, { metadata: { name: "a.b", namespace: "n" }, ...scale }).map((e) => `${e.field}: ${e.message}`);
  assert.deepEqual(errors({ spec: { replicas: 1 } }), []);
  assert.deepEqual(errors({ spec: { replicas: -1 } }), [
    "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
  ]);
  assert.deepEqual(errors({ metadata: { namespace: "n" } }), [
    "metadata.name: Required value: name or generateName is required",
  ]);
});

test("a custom resource has a size once its Scale was written", () => {
  const paths = { replicas: ["spec", "size"], statusReplicas: ["status", "size"], selector: undefined };
  const kind = { ...kit.kind("apps/v1.StatefulSet"), scale: paths };
  const bare = { metadata: { name: "a", namespace: "n" }, spec: { other: 1 } };
  const scale = scaleOf(kind, withSize(kind, bare, unsetSize), "autoscaling/v1");
  assert.throws(
    () => withScale(kind, bare, scale),
    (error: Error) => error.message === 'the spec replicas field ".spec.size" cannot be empty',
  );
  assert.deepEqual(withScale(kind, bare, { ...scale, spec: {} })["spec"], { other: 1, size: 0 });
  // Its own rules tell of a size below zero.
  assert.deepEqual(validateScale(kind, { ...scale, spec: { replicas: -1 } }), []);
});
