import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionsOf, type Findings, withConditions } from "./conditions.js";

const clear: Findings = {
  discoveryFailure: undefined,
  parsingFailure: undefined,
  contentFailures: [],
  remaining: new Map(),
  finalizers: new Map(),
};

const rows: readonly (readonly [type: string, findings: Partial<Findings>, reason: string, message: string])[] = [
  ["NamespaceDeletionDiscoveryFailure", {}, "ResourcesDiscovered", "All resources successfully discovered"],
  ["NamespaceDeletionDiscoveryFailure", { discoveryFailure: "why" }, "DiscoveryFailed", "why"],
  [
    "NamespaceDeletionGroupVersionParsingFailure",
    {},
    "ParsedGroupVersions",
    "All legacy product types successfully parsed",
  ],
  ["NamespaceDeletionGroupVersionParsingFailure", { parsingFailure: "why" }, "GroupVersionParsingFailed", "why"],
  [
    "NamespaceDeletionContentFailure",
    {},
    "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization",
  ],
  [
    "NamespaceDeletionContentFailure",
    { contentFailures: ["two", "one"] },
    "ContentDeletionFailed",
    "Failed to delete all resource types, 2 remaining: one, two",
  ],
  ["NamespaceContentRemaining", {}, "ContentRemoved", "All content successfully removed"],
  [
    "NamespaceContentRemaining",
    {
      remaining: new Map([
        ["pods.", 2],
        ["deployments.apps", 1],
      ]),
    },
    "SomeResourcesRemain",
    "Some resources are remaining: deployments.apps has 1 resource instances, pods. has 2 resource instances",
  ],
  ["NamespaceFinalizersRemaining", {}, "ContentHasNoFinalizers", "All content-preserving finalizers finished"],
  [
    "NamespaceFinalizersRemaining",
    { finalizers: new Map([["example.com/f", 3]]) },
    "SomeFinalizersRemain",
    "Some content in the namespace has finalizers remaining: example.com/f in 3 resource instances",
  ],
];

for (const [type, findings, reason, message] of rows) {
  test(`${type}: ${reason}`, () => {
    const conditions = conditionsOf({ ...clear, ...findings }, "product");
    assert.equal(conditions.length, 5);
    const status = Object.keys(findings).length === 0 ? "False" : "True";
    assert.deepEqual(
      conditions.find((c) => c.type === type),
      { type, status, reason, message },
    );
  });
}

test("a condition's time changes with its status alone, and what has changed nothing is no change", () => {
  const before = withConditions({ metadata: {}, status: { phase: "Terminating" } }, conditionsOf(clear, "p"), "t1");
  assert.ok(before !== undefined);
  assert.equal(withConditions(before, conditionsOf(clear, "p"), "t2"), undefined);
  const held = { ...clear, remaining: new Map([["pods.", 2]]) };
  const after = withConditions(before, conditionsOf(held, "p"), "t2");
  const later = withConditions(
    after ?? before,
    conditionsOf({ ...held, remaining: new Map([["pods.", 1]]) }, "p"),
    "t3",
  );
  const shown = [before, after, later].map((object) => {
    const status: unknown = object?.["status"];
    return JSON.stringify(status).match(/"NamespaceContentRemaining".*?"lastTransitionTime":"(t\d)"/)?.[1];
  });
  assert.deepEqual(shown, ["t1", "t2", "t2"]);
  assert.match(JSON.stringify(later), /"phase":"Terminating"/);
});

test("conditions of others stay as they are", () => {
  const mine = { type: "Mine", status: "True" };
  const changed = withConditions({ metadata: {}, status: { conditions: [mine] } }, conditionsOf(clear, "p"), "t");
  const status: unknown = changed?.["status"];
  assert.match(JSON.stringify(status), /^\{"conditions":\[\{"type":"Mine","status":"True"\},/);
});
