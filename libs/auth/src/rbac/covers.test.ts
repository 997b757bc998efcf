import assert from "node:assert/strict";
import { test } from "node:test";
import type { PolicyRule } from "@orch/api/kinds/rbac/types.js";
import fc from "fast-check";
import { compact, escalationText, ruleText, uncovered } from "./covers.js";
import { rule } from "./testing/policy.js";

const rules = (texts: readonly string[]): readonly PolicyRule[] => texts.map(rule);

/** What is held, what is wanted, and what of it is not held, as it is told. */
const rows: readonly (readonly [readonly string[], readonly string[], readonly string[]])[] = [
  [["get,list pods"], ["get pods"], []],
  [["get pods", "list pods"], ["get,list pods"], []],
  [["get pods"], ["get,list,watch pods"], ['{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}']],
  [[], ["get pods"], ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}']],
  [["* *:*"], ["get pods", "* apps:*", "get secrets a", "x *:*/scale"], []],
  [["* *:*"], ["get /healthz"], ['{NonResourceURLs:["/healthz"], Verbs:["get"]}']],
  [["get *:*"], ["* *:*"], ['{APIGroups:["*"], Resources:["*"], Verbs:["*"]}']],
  [["* *:pods"], ["* apps:pods,jobs"], ['{APIGroups:["apps"], Resources:["jobs"], Verbs:["*"]}']],
  [["get apps:pods"], ["get pods"], ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}']],
  [["get pods"], ["get pods/log"], ['{APIGroups:[""], Resources:["pods/log"], Verbs:["get"]}']],
  [["get */log"], ["get pods/log", "get */log"], []],
  [["get */log"], ["get pods/exec"], ['{APIGroups:[""], Resources:["pods/exec"], Verbs:["get"]}']],
  [["get pods/log"], ["get */log"], ['{APIGroups:[""], Resources:["*/log"], Verbs:["get"]}']],
  [["get secrets"], ["get secrets a"], []],
  [["get secrets a,b"], ["get secrets b,a"], []],
  [
    ["get secrets a"],
    ["get secrets a,b"],
    ['{APIGroups:[""], Resources:["secrets"], ResourceNames:["b"], Verbs:["get"]}'],
  ],
  [["get secrets a"], ["get secrets"], ['{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}']],
  [["get /a/*"], ["get /a/b", "get /a/*", "get /a/b/*"], []],
  [["get /a/*"], ["get /a"], ['{NonResourceURLs:["/a"], Verbs:["get"]}']],
  [["get /a/b"], ["get /a/*"], ['{NonResourceURLs:["/a/*"], Verbs:["get"]}']],
  [["get URL*"], ["get /a/*", "get URL*"], []],
  [["get URL*"], ["get,post /a"], ['{NonResourceURLs:["/a"], Verbs:["post"]}']],
  [[], ["get,post /a"], ['{NonResourceURLs:["/a"], Verbs:["get"]}', '{NonResourceURLs:["/a"], Verbs:["post"]}']],
  // Two rules that hold it only together, each for one half of a single rule, do not hold it.
  [
    ["get secrets a", "list secrets b"],
    ["get secrets b"],
    ['{APIGroups:[""], Resources:["secrets"], ResourceNames:["b"], Verbs:["get"]}'],
  ],
];

test("what of some rules is not held is told rule by rule", () => {
  for (const [held, wanted, missing] of rows) {
    const found = uncovered(rules(held), rules(wanted));
    const told = `${held} → ${wanted}`;
    assert.deepEqual(compact(found?.missing ?? []).map(ruleText), missing, told);
    assert.equal(found === undefined, missing.length === 0, told);
  }
});

test("a rule that names the empty name does not hold what is for every name", () => {
  const empty = { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: [""] };
  assert.ok(uncovered([empty], rules(["get pods"])) !== undefined);
  assert.equal(uncovered([empty], [empty]), undefined);
});

const words = (...all: string[]) => fc.uniqueArray(fc.constantFrom(...all), { maxLength: 3 });
const anyRule = fc.record({
  verbs: words("get", "list", "*"),
  apiGroups: words("", "apps", "*"),
  resources: words("pods", "pods/log", "*/log", "*"),
  resourceNames: words("a", "b"),
});

/** Rules of one word each. */
function singles({
  verbs = [],
  apiGroups = [],
  resources = [],
  resourceNames = [],
}: PolicyRule): readonly PolicyRule[] {
  const names = resourceNames.length === 0 ? [[]] : resourceNames.map((name) => [name]);
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        names.map((named) => ({ verbs: [verb], apiGroups: [group], resources: [resource], resourceNames: named })),
      ),
    ),
  );
}

function holds(held: PolicyRule, single: PolicyRule): boolean {
  const within = (mine: readonly string[] = [], its: readonly string[] = []) =>
    mine.includes("*") || its.every((word) => mine.includes(word));
  const [resource = ""] = single.resources ?? [];
  const of = [resource, ...(resource.includes("/") ? [`*/${resource.split("/")[1]}`] : [])];
  const names = held.resourceNames ?? [];
  const its = single.resourceNames ?? [];
  return (
    within(held.verbs, single.verbs) &&
    within(held.apiGroups, single.apiGroups) &&
    of.some((one) => within(held.resources, [one])) &&
    (names.length === 0 || (its.length > 0 && its.every((name) => names.includes(name))))
  );
}

test("rules are covered as their single rules, one by one, are", () => {
  fc.assert(
    fc.property(fc.array(anyRule, { maxLength: 4 }), fc.array(anyRule, { maxLength: 3 }), (held, wanted) => {
      const missing = wanted.flatMap(singles).filter((single) => !held.some((one) => holds(one, single)));
      const told = (all: readonly PolicyRule[]) => [...new Set(all.map(ruleText))].sort();
      assert.deepEqual(told(uncovered(held, wanted)?.missing ?? []), told(missing));
    }),
    { numRuns: 1000 },
  );
});

const who = { name: "bob", groups: ["a", "b"] };

test("the text is the reference's", () => {
  const missing = uncovered([], rules(["list,get pods", "get /b", "get apps:jobs x"]));
  assert.ok(missing !== undefined);
  const lines = [
    'user "bob" (groups=["a" "b"]) is attempting to grant RBAC permissions not currently held:',
    '{APIGroups:[""], Resources:["pods"], Verbs:["list" "get"]}',
    '{APIGroups:["apps"], Resources:["jobs"], ResourceNames:["x"], Verbs:["get"]}',
    '{NonResourceURLs:["/b"], Verbs:["get"]}',
  ].join("\n");
  assert.equal(escalationText(who, missing, ""), lines);
  assert.equal(escalationText(who, missing, "[a, b]"), `${lines}; resolution errors: [[a, b]]`);
  assert.match(escalationText({ name: "x", groups: [] }, missing, ""), /^user "x" \(groups=\[\]\) is/);
});

const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

test("rules that stand for billions are refused in little time and few words, unless they are plainly held", () => {
  const bomb = { verbs: numbered("v", 1500), apiGroups: numbered("g", 1500), resources: numbered("r", 1500) };
  assert.equal(uncovered(rules(["* *:*"]), [bomb]), undefined);
  const long = "x".repeat(100_000);
  const bombs: readonly (readonly [readonly PolicyRule[], readonly PolicyRule[]])[] = [
    [[], [bomb]],
    [[bomb], [{ ...bomb, verbs: [...bomb.verbs, "one more"] }]],
    [rules(["* g0:*", "get g1:*"]), [bomb]],
    [numbered("get p", 5000).map(rule), numbered("get q", 5000).map(rule)],
    [[], [{ verbs: numbered("v", 2000), nonResourceURLs: numbered("/p", 2000) }]],
    [[], [{ verbs: [long], apiGroups: numbered(long, 10), resources: numbered(long, 100) }]],
  ];
  for (const [held, wanted] of bombs) {
    const missing = uncovered(held, wanted);
    assert.ok(missing !== undefined);
    assert.ok(missing.missing.length <= 10_001);
    const text = escalationText(who, missing, "");
    assert.ok(text.length < 100_000, `${text.length} characters`);
    assert.match(text, /\nand more than can be told$/);
  }
});
