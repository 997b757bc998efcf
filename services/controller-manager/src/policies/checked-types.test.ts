import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiResource } from "@orch/client/discovery.js";
import { namedKinds } from "./checked-types.js";

const served = (group: string, version: string, resource: string, kind: string): ApiResource => ({
  ...{ group, version, resource, kind, namespaced: true, verbs: ["get"] },
});
const all = [
  served("", "v1", "configmaps", "ConfigMap"),
  served("apps", "v1beta1", "deployments", "Deployment"),
  served("apps", "v1", "deployments", "Deployment"),
  served("apps", "v1", "replicasets", "ReplicaSet"),
];
const rule = (apiGroups: string[], apiVersions: string[], resources: string[]) => ({
  apiGroups,
  apiVersions,
  resources,
});

const rows: readonly (readonly [what: string, rule: ReturnType<typeof rule>, kinds: readonly string[]])[] = [
  ["a resource", rule([""], ["v1"], ["configmaps"]), ["/v1 ConfigMap"]],
  [
    "two, in their order",
    rule(["apps"], ["v1"], ["replicasets", "deployments"]),
    ["apps/v1 Deployment", "apps/v1 ReplicaSet"],
  ],
  [
    "two versions",
    rule(["apps"], ["v1beta1", "v1"], ["deployments"]),
    ["apps/v1 Deployment", "apps/v1beta1 Deployment"],
  ],
  ["every resource", rule(["apps"], ["v1"], ["*"]), []],
  ["a resource beside every one", rule(["apps"], ["v1"], ["*/*", "deployments"]), ["apps/v1 Deployment"]],
  ["every group", rule(["*"], ["v1"], ["deployments"]), []],
  ["every version", rule(["apps"], ["*"], ["deployments"]), []],
  ["a subresource", rule(["apps"], ["v1"], ["deployments/status"]), []],
  ["what is not served", rule(["apps"], ["v1"], ["jobs"]), []],
];
for (const [what, resourceRule, kinds] of rows) {
  test(`a rule that names ${what} is checked against [${kinds}]`, () => {
    const found = namedKinds({ resourceRules: [resourceRule] }, all);
    assert.deepEqual(
      found.map(({ group, version, kind }) => `${group}/${version} ${kind}`),
      kinds,
    );
  });
}

test("ten kinds are looked at", () => {
  const many = Array.from({ length: 20 }, (_, i) => served("a", "v1", `r${i}`, `K${String(i).padStart(2, "0")}`));
  const resources = many.map(({ resource }) => resource);
  assert.equal(namedKinds({ resourceRules: [rule(["a"], ["v1"], resources)] }, many).length, 10);
});
