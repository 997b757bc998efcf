import assert from "node:assert/strict";
import { test } from "node:test";
import { autoUpdateKey } from "@orch/api/kinds/rbac/bootstrap/policy.js";
import type { Binding, ClusterRole, PolicyRule, Subject } from "@orch/api/kinds/rbac/types.js";
import type { AnyObject } from "@orch/api/object.js";
import { createNaming } from "@orch/naming/naming.js";
import { rightBinding, rightRole } from "./bootstrap-reconcile.js";

const naming = createNaming("kubernetes");
const autoUpdate = autoUpdateKey(naming);
const metadata = { name: "x", labels: { ours: "1" }, annotations: { [autoUpdate]: "true" } };

const rule = (verbs: string, resources: string): PolicyRule => ({
  verbs: verbs.split(" "),
  apiGroups: [""],
  resources: resources.split(" "),
});
const usersKeep = { ...metadata, annotations: { [autoUpdate]: "false" } };
const unlabelled = { ...metadata, labels: {} };
const unsaid = { ...metadata, annotations: {} };

const rules = [rule("get", "pods")];
const role: ClusterRole = { metadata, rules };
const selectors = (...parts: readonly string[]) => ({
  clusterRoleSelectors: parts.map((part) => ({ matchLabels: { part } })),
});
const made: ClusterRole = { metadata, rules: [], aggregationRule: selectors("a") };
const changed = { ...metadata, labels: { ours: "2", theirs: "1" } };

const roles: readonly (readonly [what: string, wanted: ClusterRole, is: ClusterRole, right: ClusterRole | "left"])[] = [
  ["right", role, role, "left"],
  ["with more than it needs", role, { metadata, rules: [rule("*", "*")] }, "left"],
  ["without rules", role, { metadata }, role],
  [
    "with other rules",
    role,
    { metadata, rules: [rule("get", "a")] },
    { metadata, rules: [rule("get", "a"), ...rules] },
  ],
  [
    "with a part of a rule",
    { metadata, rules: [rule("get list", "pods nodes")] },
    { metadata, rules: [rule("get", "*"), rule("list", "nodes")] },
    { metadata, rules: [rule("get", "*"), rule("list", "nodes"), rule("list", "pods")] },
  ],
  ["that its users keep", role, { metadata: usersKeep }, "left"],
  ["without our label", role, { metadata: unlabelled, rules }, role],
  ["that does not say who keeps it", role, { metadata: unsaid, rules }, role],
  ["that says it oddly", role, { metadata: { ...metadata, annotations: { [autoUpdate]: "x" } }, rules }, "left"],
  ["whose label users have changed", role, { metadata: changed, rules }, "left"],
  ["whose label users have changed, without rules", role, { metadata: changed }, { metadata: changed, rules }],
  ["made of others, which it should not be", role, { ...role, aggregationRule: selectors("a") }, role],
  ["made of others", made, made, "left"],
  ["not made of others, which it should be", made, { metadata, rules }, { ...made, rules }],
  ["made of more others", made, { ...made, aggregationRule: selectors("b", "a") }, "left"],
  [
    "made of other others",
    made,
    { ...made, aggregationRule: selectors("b") },
    { ...made, aggregationRule: selectors("b", "a") },
  ],
];

const storedAs = (object: ClusterRole | Binding): AnyObject => ({
  ...object,
  metadata: { ...object.metadata, uid: "u", resourceVersion: "7" },
});

for (const [what, wanted, is, right] of roles) {
  test(`a role ${what} is ${right === "left" ? "left" : "righted"}`, () => {
    const righting = right === "left" ? undefined : { object: storedAs(right) };
    assert.deepEqual(rightRole(wanted, storedAs(is), naming), righting);
  });
}

const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "r" };
const otherRole = { ...roleRef, name: "s" };
const group = (name: string): Subject => ({ apiGroup: roleRef.apiGroup, kind: "Group", name });
const account = (namespace: string): Subject => ({ kind: "ServiceAccount", name: "a", namespace });
const binding: Binding = { metadata, roleRef, subjects: [group("g"), account("n")] };
const of = (...subjects: readonly Subject[]): Binding => ({ ...binding, subjects });

const bindings: readonly (readonly [what: string, is: Binding, right: Binding | "left" | "made anew"])[] = [
  ["right", binding, "left"],
  ["that says what may be left out", of(group("g"), { ...account("n"), apiGroup: "" }), "left"],
  ["with more subjects", of(group("h"), account("n"), group("g")), "left"],
  ["without subjects", { metadata, roleRef }, binding],
  ["without one of them", of(group("h"), group("g")), of(group("h"), group("g"), account("n"))],
  ["with one of another namespace", of(group("g"), account("m")), of(group("g"), account("m"), account("n"))],
  ["that its users keep", { metadata: usersKeep, roleRef }, "left"],
  ["without our label", { ...binding, metadata: unlabelled }, binding],
  ["of another role", { ...binding, roleRef: otherRole }, "made anew"],
  ["of a role of another kind", { ...binding, roleRef: { ...roleRef, kind: "Role" } }, "made anew"],
  ["of another role, that its users keep", { metadata: usersKeep, roleRef: otherRole }, "left"],
];

for (const [what, is, right] of bindings) {
  test(`a binding ${what} is ${typeof right === "string" ? right : "righted"}`, () => {
    const righting =
      right === "left"
        ? undefined
        : right === "made anew"
          ? { object: binding, anew: true }
          : { object: storedAs(right) };
    assert.deepEqual(rightBinding(binding, storedAs(is), naming), righting);
  });
}

test("what is not there is made as it is wanted", () => {
  assert.deepEqual(rightRole(role, undefined, naming), { object: role });
  assert.deepEqual(rightBinding(binding, undefined, naming), { object: binding });
});
