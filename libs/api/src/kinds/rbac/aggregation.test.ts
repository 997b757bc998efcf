import assert from "node:assert/strict";
import { test } from "node:test";
import type { LabelSelector } from "../shared/label-selector.js";
import { aggregatedRules, sameRules } from "./aggregation.js";
import type { ClusterRole, PolicyRule } from "./types.js";

const rule = (resource: string): PolicyRule => ({ verbs: ["get"], apiGroups: [""], resources: [resource] });
const role = (
  name: string,
  labels: Readonly<Record<string, string>>,
  ...resources: readonly string[]
): ClusterRole => ({
  metadata: { name, labels },
  rules: resources.map(rule),
});
const madeOf = (...clusterRoleSelectors: readonly LabelSelector[]): ClusterRole => ({
  metadata: { name: "all", labels: { part: "a" } },
  aggregationRule: { clusterRoleSelectors },
  rules: [rule("own")],
});
const partOf = (part: string): LabelSelector => ({ matchLabels: { part } });
const roles = [
  role("z", { part: "a" }, "pods", "nodes"),
  role("b", { part: "b" }, "secrets", "pods"),
  role("a", { part: "a" }, "nodes", "events"),
  { metadata: { name: "bare", labels: { part: "a" } } },
  madeOf(),
];

const rows: readonly (readonly [what: string, selectors: readonly LabelSelector[], resources: readonly string[]])[] = [
  ["one label: names in order, nothing twice, not itself", [partOf("a")], ["nodes", "events", "pods"]],
  ["two selectors, one after the other", [partOf("b"), partOf("a")], ["secrets", "pods", "nodes", "events"]],
  ["an expression", [{ matchExpressions: [{ key: "part", operator: "NotIn", values: ["a"] }] }], ["secrets", "pods"]],
  ["an empty selector, which is everything", [{}], ["nodes", "events", "secrets", "pods"]],
  ["a selector that matches nothing", [partOf("c")], []],
  ["a selector that is none", [{ matchExpressions: [{ key: "part", operator: "X" }] }], []],
  ["no selector", [], []],
];

for (const [what, selectors, resources] of rows) {
  test(`a role made of others by ${what}`, () => {
    assert.deepEqual(aggregatedRules(madeOf(...selectors), roles), resources.map(rule));
  });
}

test("a role without an aggregation rule is made of no others", () => {
  assert.equal(aggregatedRules(role("r", {}), roles), undefined);
});

test("rules are the same whether a list is empty or absent, and not in another order", () => {
  const [pods, nodes] = [rule("pods"), rule("nodes")];
  assert.ok(sameRules([pods, nodes], [{ ...pods, resourceNames: [] }, nodes]));
  assert.ok(!sameRules([pods, nodes], [nodes, pods]));
  assert.ok(!sameRules([pods], [pods, nodes]));
  assert.ok(!sameRules([pods], [{ ...pods, resourceNames: ["p"] }]));
});
